const selfSigned = 'the certificate is self-signed; use one of a public certificate authority';
const incomplete = 'the chain of the certificate is incomplete; send the intermediate certificates too';
const outdated = 'the server supports no version of TLS from 1.2 on';
const closed = 'the server closed the connection during the TLS handshake';

/** By the codes of Node and OpenSSL: what the owner of a receiver can do about it. */
const faults: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  CERT_REVOKED: 'the certificate has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is of a private certificate authority; use one of a public one',
  UNABLE_TO_GET_ISSUER_CERT: incomplete,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incomplete,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incomplete,
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name than that of the URL',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS at this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS at this port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: outdated,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: outdated,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE':
    'the server refused the TLS handshake; it may have no certificate for this host name, or ask for one of the client',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'the server has no certificate for this host name',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the server asks for a certificate of the client',
  ECONNRESET: closed,
  EPIPE: closed,
};

/** Null for a fault that has no words here. */
export function tlsFault(code: string | undefined): string | null {
  return code !== undefined && Object.hasOwn(faults, code) ? (faults[code] ?? null) : null;
}
