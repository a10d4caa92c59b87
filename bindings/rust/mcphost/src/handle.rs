// SPDX-License-Identifier: MIT
//! handle.rs - the macros that make types of handles and enumerations.

/// Makes the type of a handle: an owned reference that is dropped with the value.
macro_rules! handle {
    ($name:ident, $raw:ty, $reference:path, $unref:path, $doc:expr) => {
        #[doc = $doc]
        pub struct $name {
            raw: std::ptr::NonNull<$raw>,
        }

        // SAFETY: any thread may use a handle.  Functions that only one thread at a time
        // may call need `&mut self`.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        #[allow(dead_code)]
        impl $name {
            /// Takes over a reference that a function has stored.
            ///
            /// # Safety
            ///
            /// `raw` is a handle, and the caller has a reference that this value takes
            /// over.
            pub(crate) unsafe fn owned(raw: *mut $raw) -> Self {
                match std::ptr::NonNull::new(raw) {
                    Some(raw) => $name { raw },
                    None => panic!("the library has stored no handle"),
                }
            }

            /// Takes a new reference to a handle that another owner holds.
            ///
            /// # Safety
            ///
            /// `raw` is NULL or a handle.
            pub(crate) unsafe fn borrowed(raw: *mut $raw) -> Option<Self> {
                std::ptr::NonNull::new(raw).map(|raw| {
                    $reference(raw.as_ptr());
                    $name { raw }
                })
            }

            /// Returns the handle for functions of `mcphost-sys`.  The handle is valid as
            /// long as this value lives.
            pub fn as_ptr(&self) -> *mut $raw {
                self.raw.as_ptr()
            }

            /// Gives the reference to the caller.  The caller drops the reference with
            /// the function of C (`..._unref()`).
            pub fn into_raw(self) -> *mut $raw {
                std::mem::ManuallyDrop::new(self).raw.as_ptr()
            }

            /// Takes over a reference, for example the result of `into_raw()`.
            ///
            /// # Safety
            ///
            /// `raw` is a handle of this kind and not NULL.  The caller has a reference
            /// that this value takes over.
            pub unsafe fn from_raw(raw: *mut $raw) -> Self {
                Self::owned(raw)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: this value has a reference.
                unsafe {
                    $unref(self.as_ptr());
                }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.raw).finish()
            }
        }
    };
}

/// Lets a handle be cloned, compared and hashed.  A clone is another reference to the
/// same object of the library.
macro_rules! shared {
    ($name:ident, $reference:path) => {
        impl Clone for $name {
            fn clone(&self) -> Self {
                // SAFETY: this value has a reference, so the handle lives.
                unsafe {
                    $reference(self.as_ptr());
                }
                $name { raw: self.raw }
            }
        }

        impl PartialEq for $name {
            /// Two handles are equal if they refer to the same object of the library.
            fn eq(&self, other: &Self) -> bool {
                self.raw == other.raw
            }
        }

        impl Eq for $name {}

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.raw.hash(state);
            }
        }
    };
}

/// Implements the conversions of an enumeration to and from numbers and names.
macro_rules! enumeration {
    ($name:ident, $which:expr) => {
        impl crate::enums::Enumerator for $name {
            const WHICH: i32 = $which;

            fn value(self) -> i32 {
                self.0
            }

            fn from_value(value: i32) -> Self {
                $name(value)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                crate::enums::debug(*self, stringify!($name), f)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                crate::enums::display(*self, f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::Error;

            fn from_str(name: &str) -> crate::Result<Self> {
                <Self as crate::enums::Enumerator>::find(name)
            }
        }
    };
}

/// Lets the constants of an enumeration be combined.
macro_rules! flags {
    ($name:ident) => {
        impl $name {
            /// No flag.
            pub const NONE: $name = $name(0);

            /// Returns true if each flag of `other` is set.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;

            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }

        impl std::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, other: $name) {
                self.0 |= other.0;
            }
        }
    };
}
