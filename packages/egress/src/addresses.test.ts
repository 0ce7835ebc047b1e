import { describe, expect, it } from '@jest/globals';
import ipaddr from 'ipaddr.js';
import { isInside, isPublicAddress, parseCidr } from './addresses.ts';

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and what is reserved in the address space itself. */
const v4 = {
  'this network': '0.0.0.0/8',
  'this host': '0.0.0.0/32',
  'private 10': '10.0.0.0/8',
  'shared (carrier-grade NAT)': '100.64.0.0/10',
  loopback: '127.0.0.0/8',
  'link-local': '169.254.0.0/16',
  'private 172': '172.16.0.0/12',
  'protocol assignments': '192.0.0.0/24',
  'service continuity': '192.0.0.0/29',
  'dummy address': '192.0.0.8/32',
  'port control anycast, reachable': '192.0.0.9/32',
  'relay (TURN) anycast, reachable': '192.0.0.10/32',
  'NAT64 discovery': '192.0.0.170/31',
  'metadata of a cloud in that block': '192.0.0.192/32',
  'documentation 1': '192.0.2.0/24',
  'AS112-v4': '192.31.196.0/24',
  AMT: '192.52.193.0/24',
  'relay of 6to4': '192.88.99.0/24',
  'relay of 6a44': '192.88.99.2/32',
  'private 192': '192.168.0.0/16',
  'direct delegation AS112': '192.175.48.0/24',
  benchmarking: '198.18.0.0/15',
  'documentation 2': '198.51.100.0/24',
  'documentation 3': '203.0.113.0/24',
  multicast: '224.0.0.0/4',
  'documentation of multicast': '233.252.0.0/24',
  reserved: '240.0.0.0/4',
  'limited broadcast': '255.255.255.255/32',
};

/** https://www.iana.org/assignments/iana-ipv6-special-registry, and the forms that carry an IPv4 address. */
const v6 = {
  unspecified: '::/128',
  loopback: '::1/128',
  'IPv4-compatible': '::/96',
  'IPv4-translated': '::ffff:0:0:0/96',
  'local NAT64': '64:ff9b:1::/48',
  discard: '100::/64',
  'dummy prefix': '100:0:0:1::/64',
  'protocol assignments': '2001::/23',
  Teredo: '2001::/32',
  'port control anycast': '2001:1::1/128',
  'relay (TURN) anycast': '2001:1::2/128',
  'service registration anycast': '2001:1::3/128',
  benchmarking: '2001:2::/48',
  AMT: '2001:3::/32',
  'AS112-v6': '2001:4:112::/48',
  'deprecated ORCHID': '2001:10::/28',
  ORCHIDv2: '2001:20::/28',
  'drone identities': '2001:30::/28',
  documentation: '2001:db8::/32',
  '6to4': '2002::/16',
  'direct delegation AS112': '2620:4f:8000::/48',
  'documentation, the newer': '3fff::/20',
  'segment routing': '5f00::/16',
  'unique local': 'fc00::/7',
  'link-local': 'fe80::/10',
  'site-local': 'fec0::/10',
  multicast: 'ff00::/8',
  unassigned: '4000::/2',
};

/** First, middle and last address of a range. */
function samples(cidr: string): string[] {
  const [net, prefix] = ipaddr.parseCIDR(cidr);
  const bytes = net.toByteArray();
  const base = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const size = 1n << BigInt(bytes.length * 8 - prefix);
  return [base, base + size / 2n, base + size - 1n].map((value) => written(value, bytes.length));
}

function written(value: bigint, length: number): string {
  const bytes = Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}

describe('the first, middle and last address of a special-purpose range are refused', () => {
  it.each(Object.entries(v4))('IPv4 %s: %s', (_name, cidr) => {
    expect(samples(cidr).filter(isPublicAddress)).toEqual([]);
  });

  it.each(Object.entries(v6))('IPv6 %s: %s', (_name, cidr) => {
    expect(samples(cidr).filter(isPublicAddress)).toEqual([]);
  });
});

/** The addresses just before and after the ranges. */
const neighbours = `
  1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
  172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255
  192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255
  198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 168.63.129.15 168.63.129.17
  2001:200:: 2001:db7:ffff::1 2001:db9:: 2003:: 2620:4f:7fff::1 2620:4f:8001:: 3ffe::1 3fff:1000::
  2606:4700:4700::1111 2a00:1450:4001::200e`;

it.each(neighbours.trim().split(/\s+/))('the neighbour %s of a range is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe('an IPv4 address inside an IPv6 address', () => {
  const carriers = {
    mapped: (address: string) => `::ffff:${address}`,
    NAT64: (address: string) => `64:ff9b::${address}`,
  };

  it.each(Object.entries(carriers))('is checked as the IPv4 address: %s', (_name, carry) => {
    const all = Object.values(v4).flatMap(samples);
    expect(all.map(carry).filter(isPublicAddress)).toEqual([]);
    expect(isPublicAddress(carry('1.1.1.1'))).toBe(true);
    expect(isInside(carry('10.1.2.3'), [parseCidr('10.0.0.0/8')])).toBe(true);
  });

  it.each([
    ['compatible', '::1.1.1.1'],
    ['compatible in hex', '::101:101'],
    ['compatible, written out', '0:0:0:0:0:0:1.1.1.1'],
    ['translated', '::ffff:0:1.1.1.1'],
    ['local NAT64, /96', '64:ff9b:1::1.1.1.1'],
    ['local NAT64, /48', '64:ff9b:1:101:1:100::'],
    ['6to4', '2002:101:101::1'],
    ['Teredo', '2001:0:101:101::fefe:fefe'],
    ['ISATAP', '2a00:1450:4001:1::5efe:101:101'],
    ['ISATAP of a private address', '2a00:1450:4001:1:0:5efe:a00:1'],
    ['ISATAP, universal', '2a00:1450:4001:1:200:5efe:a00:1'],
  ])('is always refused: %s', (_name, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('text that is not a public address', () => {
  it.each([
    ["Azure's platform", '168.63.129.16'],
    ["Azure's platform, mapped", '::ffff:168.63.129.16'],
    ['link-local with its zone', 'fe80::1%eth0'],
    ['a public one with a zone', '2606:4700:4700::1111%br-1.100'],
    ['a name', 'example.com'],
    ['nothing', ''],
  ])('is refused: %s, %j', (_name, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
