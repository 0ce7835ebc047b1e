import { createHmac } from 'node:crypto';
import { isSameSecret } from '@holdfast/domain/constantTime';
import type { DiskSettings } from '../config.ts';

/** Null fields are not restricted. */
export type Grant = {
  method: 'GET' | 'PUT';
  key: string;
  expires: number;
  sizeBytes: number | null;
  contentType: string | null;
  filename: string | null;
};

type Signer = Pick<DiskSettings, 'urlSecrets' | 'publicUrl'>;

const prefix = '/storage/';

export function signUrl(signer: Signer, grant: Grant): string {
  const query = new URLSearchParams({ expires: String(grant.expires) });
  if (grant.sizeBytes !== null) query.set('size', String(grant.sizeBytes));
  if (grant.contentType !== null) query.set('content_type', grant.contentType);
  if (grant.filename !== null) query.set('filename', grant.filename);
  query.set('signature', signatureOf(signer.urlSecrets[0] ?? '', grant));
  return `${signer.publicUrl.replace(/\/+$/, '')}${prefix}${grant.key}?${query.toString()}`;
}

/** Null when we did not sign it, it is for another method, or it has expired. */
export function verifyUrl(
  urlSecrets: readonly string[],
  method: 'GET' | 'PUT',
  target: string,
  nowMs = Date.now(),
): Grant | null {
  const url = URL.parse(target, 'http://localhost');
  const start = url?.pathname.indexOf(prefix) ?? -1;
  if (!url || start < 0) return null;
  const query = url.searchParams;
  const size = query.get('size');
  const grant: Grant = {
    method,
    key: url.pathname.slice(start + prefix.length),
    expires: Number(query.get('expires')),
    sizeBytes: size === null ? null : Number(size),
    contentType: query.get('content_type'),
    filename: query.get('filename'),
  };
  const given = query.get('signature') ?? '';
  const isOurs = urlSecrets.some((urlSecret) => isSameSecret(signatureOf(urlSecret, grant), given));
  return isOurs && nowMs < grant.expires * 1000 ? grant : null;
}

/** Signs JSON, so that no two grants have the same text. */
function signatureOf(urlSecret: string, grant: Grant): string {
  const { method, key, expires, sizeBytes, contentType, filename } = grant;
  const text = JSON.stringify([method, key, expires, sizeBytes, contentType, filename]);
  return createHmac('sha256', urlSecret).update(text).digest('hex');
}
