import { describe, expect, it } from '@jest/globals';
import { createEgressPolicy, type EgressPolicy } from './policy.ts';

describe('policy', () => {
  const strict = createEgressPolicy({ allowCidrs: [], allowHttp: false });
  const development = createEgressPolicy({ allowCidrs: ['127.0.0.0/8', '10.1.0.0/16'], allowHttp: true });

  const refused = (policy: EgressPolicy, url: string) => policy.checkUrl(url)?.message ?? 'allowed';

  describe('a private address', () => {
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
      ['hex, each part', 'https://0X7F.0x0.0x0.0x1/'],
      ['octal integer', 'https://017700000001/'],
      ['two parts', 'https://169.16689662/'],
      ['full-width digits', 'https://１２７.０.０.１/'],
      ['full-width dots', 'https://127．0．0．1/'],
      ['ideographic dots', 'https://127。0。0。1/'],
      ['half-width ideographic dots', 'https://127｡0｡0｡1/'],
      ['digits in circles', 'https://①②⑦.⓪.⓪.①/'],
      ['percent-encoded', 'https://%31%32%37.0.0.1/'],
      ['percent-encoded dots', 'https://127%2E0%2E0%2E1/'],
      ['percent-encoded full-width digits', 'https://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/'],
      ['soft hyphens', 'https://127.0.0.\u00ad1/'],
      ['zero-width space', 'https://127.0.0.1\u200b/'],
      ['word joiner', 'https://169.254\u2060.169.254/'],
      ['root dot', 'https://127.0.0.1./'],
      ['port', 'https://127.0.0.1:443/'],
      ['IPv6 loopback', 'https://[::1]/'],
      ['IPv6 unspecified', 'https://[::]/'],
      ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/'],
      ['IPv4-mapped in hex', 'https://[::ffff:a9fe:a9fe]/'],
      ['IPv4-mapped in hex, written out', 'https://[0:0:0:0:0:FFFF:7F00:0001]/'],
      ['IPv4-compatible', 'https://[::127.0.0.1]/'],
      ['IPv4-compatible of a public one', 'https://[::1.1.1.1]/'],
      ['IPv4-translated', 'https://[::ffff:0:127.0.0.1]/'],
      ['NAT64', 'https://[64:ff9b::7f00:1]/'],
      ['local NAT64', 'https://[64:ff9b:1::7f00:1]/'],
      ['6to4', 'https://[2002:7f00:1::]/'],
      ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
      ['unique local', 'https://[fd00::1]/'],
      ['IPv6 link-local', 'https://[fe80::1]/'],
      ['site-local', 'https://[fec0::1]/'],
    ])('is refused: %s, %s', (_name, url) => {
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
      ['https://example.com:80/', 'must use port 443 or 8443'],
      ['https://example.com:9000/', 'must use port 443 or 8443'],
      ['https://example.com:0/', 'must not use port 0'],
      ['http://localhost:3000/', expect.stringContaining('WEBHOOK_ALLOW_HTTP=loopback')],
      ['https://example.com:65536/', 'must be an absolute URL'],
      ['https://[fe80::1%25eth0]/', 'must be an absolute URL'],
      ['https://[fe80::1%eth0]/', 'must be an absolute URL'],
      ['https://1.2.3.4.5/', 'must be an absolute URL'],
      ['https://256.1.1.1/', 'must be an absolute URL'],
      ['https://0x100000000/', 'must be an absolute URL'],
      ['https://exa%00mple.com/', 'must be an absolute URL'],
      ['https://127.0.0.1../', 'must name a host'],
      ['https://localhost../', 'must name a host'],
      ['https://a..example.com/', 'must name a host'],
      ['https://user%40@example.com/', 'must not carry a user name or password'],
      ['https://example.com@10.0.0.1/', 'must not carry a user name or password'],
      ['https://example.com:443@10.0.0.1/', 'must not carry a user name or password'],
      ['https://%6c%6F%63alhost/', 'must not point to a local host'],
      ['https://ｌｏｃａｌｈｏｓｔ/', 'must not point to a local host'],
      ['https://local\u00adhost/', 'must not point to a local host'],
      ['https://ⓛocalhost/', 'must not point to a local host'],
      ['https://redis。/', 'must not point to a local host'],
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

  describe('a policy for receivers on this machine', () => {
    const local = createEgressPolicy({ allowCidrs: ['127.0.0.0/8', '::1/128'], allowHttp: 'loopback' });

    it.each([
      ['http://127.0.0.1:3000/', null],
      ['http://localhost:3000/', null],
      ['http://[::1]:3000/', null],
      ['http://127.0.0.1:0/', 'must not use port 0'],
      ['http://example.com/', 'must use https'],
      ['http://127.0.0.1.example.com/', 'must use https'],
      ['http://10.0.0.1/', 'must use https'],
    ])('judges %s: %s', (url, problem) => {
      expect(local.checkUrl(url)?.message ?? null).toBe(problem);
    });
  });

  describe('a policy for development', () => {
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

    it('lists what it allows, and the default lists nothing', () => {
      expect(strict.openings).toEqual([]);
      expect(development.openings).toHaveLength(2);
    });

    it('throws for a malformed CIDR', () => {
      expect(() => createEgressPolicy({ allowCidrs: ['10.0.0.0/33'], allowHttp: false })).toThrow(
        'not a CIDR',
      );
    });
  });

  describe('a URL that is to be stored', () => {
    const resultOf = (policy: EgressPolicy, url: string) => policy.checkNewUrl(url)?.message ?? 'allowed';

    it.each(['https://1.1.1.1:9443/', 'https://hooks.example.com:9443/', 'https://hooks.example.com:22/'])(
      'may have the same ports by name and by address, whatever else is allowed: %s',
      (url) => {
        expect(resultOf(strict, url)).toBe('must use port 443 or 8443');
        expect(resultOf(development, url)).toBe('must use port 443 or 8443');
        const high = createEgressPolicy({ allowCidrs: ['10.1.0.0/16'], allowHttp: false, highPorts: true });
        expect(resultOf(high, url)).toBe(
          url.includes(':22') ? 'must use port 443, or one from 1024 on' : 'allowed',
        );
      },
    );

    it.each([
      'http://10.1.2.3:9000/',
      'http://localhost:3000/',
      'http://a.localhost:3000/',
      'http://receiver:8080/',
      'http://host.docker.internal:8080/',
    ])('may have any port when it can only lead to an allowed address: %s', (url) => {
      expect(resultOf(development, url)).toBe('allowed');
      expect(resultOf(strict, url)).not.toBe('allowed');
    });

    it('may be an allowed origin, and is refused like any URL', () => {
      const origin = 'https://hooks.example.com:9443';
      const policy = createEgressPolicy({ allowCidrs: [], allowHttp: false, allowOrigins: [origin] });
      expect(resultOf(policy, `${origin}/hook`)).toBe('allowed');
      expect(resultOf(strict, 'http://example.com/')).toBe('must use https');
    });

    it('is still dialled if it was stored earlier and its name resolves to an allowed address', () => {
      expect(development.checkUrl('https://hooks.example.com:9443/')).toBeNull();
    });
  });

  describe('ports from 1024', () => {
    const high = createEgressPolicy({ allowCidrs: [], allowHttp: false, highPorts: true });

    it.each(['https://example.com:1024/', 'https://1.1.1.1:65535/', 'https://[2606:4700:4700::1111]:9000/'])(
      'are allowed by a setting: %s',
      (url) => {
        expect(high.checkUrl(url)).toBeNull();
        expect(strict.checkUrl(url)?.message).toBe('must use port 443 or 8443');
      },
    );

    it.each(['https://example.com:1023/', 'https://example.com:22/', 'https://1.1.1.1:80/'])(
      'and none below: %s',
      (url) => {
        expect(high.checkUrl(url)?.message).toBe('must use port 443, or one from 1024 on');
      },
    );

    it('apply to public addresses only and are logged at the start', () => {
      expect(high.checkUrl('https://10.0.0.1:9000/')).not.toBeNull();
      expect(high.openings).toEqual(['ports 1024-65535 of public addresses are allowed']);
    });
  });

  describe('the host of the service itself', () => {
    const itself = 'must not point to this service itself';
    const own = (ownHosts: string[], allowCidrs: string[] = []) =>
      createEgressPolicy({ ownHosts, allowCidrs, allowHttp: false });

    it.each([
      'https://api.example.com/v1/executions',
      'https://API.Example.COM/',
      'https://api.example.com./',
      'https://api.example.com:8443/',
      'https://%61pi.example.com/',
      'https://api。example。com/',
      'https://ap\u00adi.example.com/',
    ])('is refused as %s', (url) => {
      expect(own(['api.example.com']).checkUrl(url)?.message).toBe(itself);
      expect(own(['API.example.com.'], ['10.0.0.0/8']).checkUrl(url)?.message).toBe(itself);
    });

    it.each(['https://example.com/', 'https://api.example.com.evil.example/', 'https://my-api.example.com/'])(
      'is not %s',
      (url) => {
        expect(own(['api.example.com']).checkUrl(url)).toBeNull();
      },
    );

    it.each([
      'https://9.9.9.9/',
      'https://0x09090909/',
      'https://[::ffff:9.9.9.9]/',
      'https://[64:ff9b::909:909]/',
    ])('is refused as an address: %s', (url) => {
      expect(own(['9.9.9.9']).checkUrl(url)?.message).toBe(itself);
      expect(own(['9.9.9.9'], ['9.9.9.0/24']).checkUrl(url)).toBeNull();
    });

    it('is allowed in development, where receivers run on the same machine', () => {
      for (const host of ['localhost', '127.0.0.1', '[::1]']) {
        const policy = own([host], ['127.0.0.0/8', '::1/128']);
        expect(policy.checkUrl(`https://${host}:3000/`)).toBeNull();
        expect(own([host]).checkUrl(`https://${host}:3000/`)).not.toBeNull();
      }
    });
  });

  describe('with a proxy', () => {
    const through = (settings: { proxyResolves?: boolean; allowCidrs?: string[] }) =>
      createEgressPolicy({
        allowCidrs: [],
        allowHttp: false,
        proxyUrl: 'http://u:p@proxy:3128',
        ...settings,
      });

    it('contains no credentials in messages', () => {
      expect(through({}).openings).toEqual([]);
      expect(() => createEgressPolicy({ ...parts, proxyUrl: 'ftp://u:secret@proxy' })).toThrow(
        /^must be http/,
      );
      expect(() => createEgressPolicy({ ...parts, proxyUrl: 'http://u:secret@proxy/x' })).toThrow(
        /^must end/,
      );
    });

    it('does not allow a name by allowed addresses when the proxy resolves names', () => {
      const policy = through({ proxyResolves: true, allowCidrs: ['127.0.0.0/8'] });
      expect(policy.openings).toHaveLength(2);
      expect(policy.checkUrl('https://example.com/')).toBeNull();
      expect(policy.checkUrl('https://127.0.0.1:3000/')).toBeNull();
      for (const host of ['localhost', 'redis', 'a.internal', 'example.com:9000', '10.0.0.1']) {
        expect(policy.checkUrl(`https://${host}/`)).not.toBeNull();
      }
    });
  });

  const parts = { allowCidrs: [], allowHttp: false };

  const responses = (addresses: string[], allowCidrs: string[] = []) =>
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

  describe('the lookup', () => {
    it('returns public addresses in both forms of dns.lookup', async () => {
      expect(await lookup(responses(['1.1.1.1']), 443, false)).toBe('1.1.1.1');
      expect(await lookup(responses(['1.1.1.1']), 443, true)).toEqual([{ address: '1.1.1.1', family: 4 }]);
    });

    it('refuses when one of the addresses is private', async () => {
      expect(await lookup(responses(['1.1.1.1', '10.0.0.1']), 443, true)).toBe('EGRESS_REFUSED');
      expect(await lookup(responses(['1.1.1.1', '::ffff:10.0.0.1']), 443, false)).toBe('EGRESS_REFUSED');
      expect(await lookup(responses(['1.1.1.1', '64:ff9b::a00:1']), 443, true)).toBe('EGRESS_REFUSED');
      expect(await lookup(responses(['fe80::1%eth0', '1.1.1.1']), 443, true)).toBe('EGRESS_REFUSED');
      expect(await lookup(responses([]), 443, true)).toBe('EGRESS_REFUSED');
    });

    it('refuses the address of the service itself', async () => {
      const policy = createEgressPolicy({
        ...parts,
        ownHosts: ['9.9.9.9'],
        resolve: (_name, _options, done) => done(null, [{ address: '9.9.9.9', family: 4 }]),
      });
      expect(await lookup(policy, 443, true)).toBe('EGRESS_REFUSED');
    });

    it('allows other ports only when every address is in the allowed ranges', async () => {
      expect(await lookup(responses(['10.0.0.1'], ['10.0.0.0/8']), 9000, false)).toBe('10.0.0.1');
      expect(await lookup(responses(['10.0.0.1', '1.1.1.1'], ['10.0.0.0/8']), 9000, true)).toBe(
        'EGRESS_REFUSED',
      );
      expect(await lookup(responses(['1.1.1.1'], ['10.0.0.0/8']), 443, false)).toBe('1.1.1.1');
    });
  });
});
