# SPDX-License-Identifier: MIT
#
# aclocal.m4 - our own macros.  Written by hand: with this file here neither
# aclocal nor automake nor pkg-config's macro file is needed.

# MCPH_PKG(VARIABLE, MODULE [>= VERSION], IF-FOUND, IF-NOT-FOUND)
# Substitutes VARIABLE_CFLAGS and VARIABLE_LIBS; both may be given by the
# caller, then pkg-config is not asked.
AC_DEFUN([MCPH_PKG],
[AC_REQUIRE([MCPH_PROG_PKG_CONFIG])dnl
AC_ARG_VAR([$1_CFLAGS], [compiler flags for $2, instead of pkg-config's])dnl
AC_ARG_VAR([$1_LIBS], [linker flags for $2, instead of pkg-config's])dnl
AC_MSG_CHECKING([for $2])
mcph_found=yes
AS_IF([test -n "$$1_LIBS"], [],
      [test -n "$PKG_CONFIG" && $PKG_CONFIG --exists "$2" 2>&AS_MESSAGE_LOG_FD],
      [$1_CFLAGS=`$PKG_CONFIG --cflags "$2"`
       $1_LIBS=`$PKG_CONFIG --libs "$2"`],
      [mcph_found=no])
AC_MSG_RESULT([$mcph_found])
AS_IF([test $mcph_found = yes], [m4_default([$3], [:])], [m4_default([$4], [:])])
])

AC_DEFUN([MCPH_PROG_PKG_CONFIG],
[AC_ARG_VAR([PKG_CONFIG], [path of pkg-config])dnl
AC_CHECK_TOOLS([PKG_CONFIG], [pkg-config pkgconf])
])
