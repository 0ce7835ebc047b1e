import { createPrivateKey } from 'node:crypto';

/** Of a server called `holdfast.test` or 127.0.0.1; signed by itself, until 2120. */
export const key = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 't9KgeounrfaoLgpnLfZgHsyfikDxLdSf_3mG0t1S638',
    y: 'az57m1cUQj85CAYDRIL01N50-w8BBn9odkrUvNgMBkY',
    d: 'huYDQNgtLJmcJcXBGXxMwk-SGoFUhtMzE1cRJAGH8kg',
  },
}).export({ format: 'pem', type: 'pkcs8' });
const der =
  'MIIBczCCARmgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1ob2xkZmFzdC50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIx' +
  'MjAwMTAxMDAwMDAwWjAYMRYwFAYDVQQDDA1ob2xkZmFzdC50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEt9Kgeounrfao' +
  'LgpnLfZgHsyfikDxLdSf/3mG0t1S639rPnubVxRCPzkIBgNEgvTU3nT7DwEGf2h2StS82AwGRqNSMFAwHgYDVR0RBBcwFYINaG9s' +
  'ZGZhc3QudGVzdIcEfwAAATAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQgEre4EyvOXipkIlxsuJWWCj5hLzAKBggqhkjOPQQD' +
  'AgNIADBFAiEA13O3O7+BSNlkWlWlLZU/9obHxEc8GShEV1+TSCPL3XACICk9PE4kX2tAhcDG6wgo2e3yzESabuBfpFh6siZDuxuL';
export const cert = `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`;
