import { describe, expect, it } from '@jest/globals';
import { createEgressPolicy, type EgressPolicy } from './policy.ts';

const strict = createEgressPolicy({ allowCidrs: [], allowHttp: false });
const development = createEgressPolicy({ allowCidrs: ['127.0.0.0/8', '10.1.0.0/16'], allowHttp: true });

const refused = (policy: EgressPolicy, url: string) => policy.checkUrl(url)?.message ?? 'allowed';

describe('an address that only we could reach is refused', () => {
  it.each([
    ['loopback', 'https://127.0.0.1/'],
    ['another loopback', 'https://127.9.9.9/'],
    ['this host', 'https://0.0.0.0/'],
    ['private 10', 'https://10.0.0.1/'],
    ['private 172', 'https://172.31.255.254/'],
    ['private 192', 'https://192.168.1.1/'],
    ['carrier-grade NAT', 'https://100.64.0.1/'],
    ['link-local, where clouds keep credentials', 'https://169.254.169.254/latest/meta-data'],
    ['benchmarking', 'https://198.18.0.1/'],
    ['documentation', 'https://192.0.2.1/'],
    ['multicast', 'https://224.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['hex', 'https://0x7f000001/'],
    ['octal', 'https://0177.0.0.1/'],
    ['integer', 'https://2130706433/'],
    ['short', 'https://127.1/'],
    ['mixed', 'https://0xa9.0376.0xa9fe/'],
    ['full-width digits', 'https://１２７.０.０.１/'],
    ['root dot', 'https://127.0.0.1./'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv6 unspecified', 'https://[::]/'],
    ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/'],
    ['IPv4-mapped in hex', 'https://[::ffff:a9fe:a9fe]/'],
    ['IPv4-compatible', 'https://[::127.0.0.1]/'],
    ['IPv4-translated', 'https://[::ffff:0:127.0.0.1]/'],
    ['NAT64', 'https://[64:ff9b::7f00:1]/'],
    ['local NAT64', 'https://[64:ff9b:1::7f00:1]/'],
    ['6to4', 'https://[2002:7f00:1::]/'],
    ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['unique local', 'https://[fd00::1]/'],
    ['IPv6 link-local', 'https://[fe80::1]/'],
    ['site-local', 'https://[fec0::1]/'],
  ])('%s: %s', (_name, url) => {
    expect(refused(strict, url)).toBe('must not point to a private or reserved address');
  });
});

describe('the default policy', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:8443/hook?x=1',
    'https://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'https://[::ffff:1.1.1.1]/',
    'https://[64:ff9b::101:101]/',
  ])('allows %s', (url) => {
    expect(strict.checkUrl(url)).toBeNull();
  });

  it.each([
    ['http://example.com/', 'must use https'],
    ['ftp://example.com/', 'must use https'],
    ['file:///etc/passwd', 'must use https'],
    ['not a url', 'must be an absolute URL'],
    ['/relative', 'must be an absolute URL'],
    ['https://user@example.com/', 'must not carry a user name or password'],
    ['https://:pw@example.com/', 'must not carry a user name or password'],
    ['https://example.com:22/', 'must use port 443 or 8443'],
    ['https://1.1.1.1:6379/', 'must use port 443 or 8443'],
    ['https://localhost/', 'must not point to a local host'],
    ['https://LOCALHOST./', 'must not point to a local host'],
    ['https://a.localhost/', 'must not point to a local host'],
    ['https://postgres/', 'must not point to a local host'],
    ['https://metadata.google.internal/', 'must not point to a local host'],
    [`https://example.com/${'x'.repeat(2048)}`, 'must be at most 2048 characters'],
    ...[
      ' https://example.com/',
      'https://example.com/\r\nX-A: b',
      'https://exam\nple.com/',
      'https:example.com',
      'https:/example.com',
      'https:\\\\example.com/',
      'https://example.com\\@10.0.0.1/',
    ].map((url) => [url, 'must be written as https://host/path, without spaces or backslashes'] as const),
  ])('refuses %s', (url, message) => {
    expect(strict.checkUrl(url)).toEqual({ code: 'INVALID_URL', message });
  });
});

describe('a policy opened for development', () => {
  it.each([
    'http://127.0.0.1:3000/',
    'http://localhost:3000/',
    'https://10.1.2.3:9000/',
    'http://[::ffff:127.0.0.1]:81/',
  ])('allows %s', (url) => {
    expect(development.checkUrl(url)).toBeNull();
  });

  it.each([
    'http://10.2.0.1/',
    'http://169.254.169.254/',
    'https://[::1]:3000/',
    'http://1.1.1.1:80/',
    'ftp://127.0.0.1/',
  ])('still refuses %s', (url) => {
    expect(development.checkUrl(url)).not.toBeNull();
  });

  it('names what is open, and the default names nothing', () => {
    expect(strict.openings).toEqual([]);
    expect(development.openings).toHaveLength(2);
  });

  it('is not made from a malformed CIDR', () => {
    expect(() => createEgressPolicy({ allowCidrs: ['10.0.0.0/33'], allowHttp: false })).toThrow('not a CIDR');
  });
});

const answers = (addresses: string[], allowCidrs: string[] = []) =>
  createEgressPolicy({
    allowCidrs,
    allowHttp: false,
    resolve: (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  });
const lookup = (policy: EgressPolicy, port: number, all: boolean) =>
  new Promise((resolve) => {
    policy.lookupFor(port)('name.example', { all }, (error, address) => resolve(error?.code ?? address));
  });

describe('the look-up decides by the addresses that would be dialled', () => {
  it('gives public answers, in both shapes of dns.lookup', async () => {
    expect(await lookup(answers(['1.1.1.1']), 443, false)).toBe('1.1.1.1');
    expect(await lookup(answers(['1.1.1.1']), 443, true)).toEqual([{ address: '1.1.1.1', family: 4 }]);
  });

  it('refuses when a single answer is private', async () => {
    expect(await lookup(answers(['1.1.1.1', '10.0.0.1']), 443, true)).toBe('EGRESS_REFUSED');
    expect(await lookup(answers(['1.1.1.1', '::ffff:10.0.0.1']), 443, false)).toBe('EGRESS_REFUSED');
    expect(await lookup(answers([]), 443, true)).toBe('EGRESS_REFUSED');
  });

  it('allows other ports only when every answer is in the allowed ranges', async () => {
    expect(await lookup(answers(['10.0.0.1'], ['10.0.0.0/8']), 9000, false)).toBe('10.0.0.1');
    expect(await lookup(answers(['10.0.0.1', '1.1.1.1'], ['10.0.0.0/8']), 9000, true)).toBe('EGRESS_REFUSED');
    expect(await lookup(answers(['1.1.1.1'], ['10.0.0.0/8']), 443, false)).toBe('1.1.1.1');
  });
});
