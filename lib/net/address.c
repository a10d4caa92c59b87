/* SPDX-License-Identifier: MIT
 *
 * address.c - decide which addresses do not belong to the public internet.
 *
 * The table has the block for multicast, and the blocks of the registry of
 * special-purpose IPv4 addresses (RFC 6890), except the blocks for documentation and for
 * 6to4 relays.  An IPv6 address that contains an IPv4 address is judged by the IPv4
 * address.  Any other IPv6 address is public only in 2000::/3, because the public
 * internet has no other addresses.  For example, fc00::/7 (private), fe80::/10
 * (link-local), ff00::/8 (multicast) and 64:ff9b:1::/48 (the translators of a network,
 * RFC 8215) are not public.
 */
#include <arpa/inet.h>
#include <string.h>

#include "net/net.h"

static bool
v4_is_private(uint32_t a)
{
    static const struct {
        uint32_t net;
        unsigned bits;
    } nets[] = {
        {0x00000000, 8},  /* 0/8: this host */
        {0x0a000000, 8},  /* 10/8: private */
        {0x64400000, 10}, /* 100.64/10: carrier-grade NAT */
        {0x7f000000, 8},  /* loopback */
        {0xa9fe0000, 16}, /* link-local; cloud metadata services are here */
        {0xac100000, 12}, /* 172.16/12: private */
        {0xc0000000, 24}, /* 192.0.0/24: protocol assignments */
        {0xc0a80000, 16}, /* 192.168/16: private */
        {0xc6120000, 15}, /* 198.18/15: benchmarks */
        {0xe0000000, 3},  /* multicast, reserved, broadcast */
    };

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(nets); i++) {
        if ((a ^ nets[i].net) >> (32 - nets[i].bits) == 0)
            return true;
    }
    return false;
}

static uint32_t
v4_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool
v6_is_private(const unsigned char a[16])
{
    static const unsigned char zeros[12] = {0};
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    static const unsigned char nat64[12] = {0x00, 0x64, 0xff, 0x9b};
    static const unsigned char teredo[4] = {0x20, 0x01};

    /* Judge an address with one of these prefixes by the IPv4 address after the prefix:
     * ::/96 (with :: and ::1), ::ffff:0:0/96, 64:ff9b::/96. */
    if (memcmp(a, zeros, 12) == 0 || memcmp(a, mapped, 12) == 0 ||
        memcmp(a, nat64, 12) == 0)
        return v4_is_private(v4_at(a + 12));
    if (a[0] == 0x20 && a[1] == 0x02) /* 2002::/16: 6to4 */
        return v4_is_private(v4_at(a + 2));
    /* 2001::/32: Teredo (RFC 4380) has the address of the server, and the address of the
     * client with inverted bits. */
    if (memcmp(a, teredo, 4) == 0)
        return v4_is_private(v4_at(a + 4)) || v4_is_private(~v4_at(a + 12));
    return (a[0] & 0xe0) != 0x20;
}

bool
mcph_net_address_is_private(const struct sockaddr *addr)
{
    struct sockaddr_in6 v6;
    struct sockaddr_in v4;

    switch (addr->sa_family) {
    case AF_INET:
        memcpy(&v4, addr, sizeof(v4));
        return v4_is_private(ntohl(v4.sin_addr.s_addr));
    case AF_INET6:
        memcpy(&v6, addr, sizeof(v6));
        return v6_is_private(v6.sin6_addr.s6_addr);
    default:
        return true;
    }
}

bool
mcph_net_text_is_private(const char *address)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (inet_pton(AF_INET, address, &v4) == 1)
        return v4_is_private(ntohl(v4.s_addr));
    if (inet_pton(AF_INET6, address, &v6) == 1)
        return v6_is_private(v6.s6_addr);
    return true;
}
