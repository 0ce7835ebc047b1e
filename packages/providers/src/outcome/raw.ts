import type { Failure } from '@holdfast/domain/outcome';
import type { Connection, HttpResponse } from '../connection.ts';

/** The keys of a connection, which no stored text may contain. */
export type Secrets = Pick<Connection, 'baseUrl' | 'apiKey'> & Partial<Pick<Connection, 'settings'>>;

const maxBytes = 4096;
/** Bounds the time for masking. */
const maxRead = 65_536;
const maxLine = 4096;
const maxMessage = 500;
// oxlint-disable-next-line no-control-regex -- they are what is removed
const controls = /[\u0000-\u001f\u007f]/g;

export function withRaw<F extends Failure>(failure: F, said: string, secrets: Secrets): F {
  const raw = rawText(said, secrets);
  return raw === '' ? failure : { ...failure, raw };
}

/** A response as operators see it: `401 req_1 {"error": ...}`. */
export function responseText({ status, headers, bodyText }: HttpResponse): string {
  const id = headers['x-request-id'] ?? headers['x-fal-request-id'];
  return [status, typeof id === 'string' ? `request ${id}` : '', bodyText.slice(0, maxRead)]
    .filter((part) => part !== '')
    .join(' ');
}

/** Text for operators: at most 4 KiB, keys masked, no NUL (PostgreSQL accepts none). */
export function rawText(said: string, secrets: Secrets): string {
  const clean = withoutKeys(said.slice(0, maxRead), secrets).replaceAll('\u0000', '').toWellFormed().trim();
  const bytes = Buffer.from(clean);
  return bytes.length <= maxBytes
    ? clean
    : bytes
        .subarray(0, maxBytes)
        .toString('utf8')
        .replace(/\ufffd+$/, '');
}

export function firstLine(text: string, secrets: Secrets): string {
  const lines = withoutKeys(text.slice(0, maxRead), secrets).split(/[\r\n]+/);
  const line = lines.find((one) => one.trim() !== '') ?? '';
  return line.replace(controls, ' ').slice(0, maxMessage).trim().toWellFormed();
}

/** A log line with its indentation. A redrawn progress bar (`\r`) keeps its last state only. */
export function logLine(text: string, secrets: Secrets): string {
  const shown = text.split('\r').findLast((part) => part.trim() !== '') ?? '';
  return withoutKeys(shown.replace(controls, ' '), secrets).slice(0, maxLine).trimEnd();
}

const openSettings = ['OUTPUT_ORIGINS', 'ALLOWED_HOSTS', 'JWKS_URL', 'MAX_CONCURRENCY', 'MAX_PER_MINUTE'];

/** Longest first. A setting shorter than 8 characters is a number or a name, not a key. */
export function keysOf({ baseUrl, apiKey, settings = {} }: Secrets): string[] {
  const closed = Object.entries(settings).flatMap(([name, value]) =>
    openSettings.includes(name) ? [] : value,
  );
  const long = [...closed, ...credentialsOf(baseUrl)].filter((value) => value.length >= 8);
  return [...(apiKey && apiKey.length > 2 ? [apiKey] : []), ...long].toSorted((a, b) => b.length - a.length);
}

function withoutKeys(text: string, secrets: Secrets): string {
  return keysOf(secrets).reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
}

/** As written in the URL, and as sent. */
function credentialsOf(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  const sent = [decoded(username), decoded(password)];
  return [username, password, ...sent, Buffer.from(sent.join(':')).toString('base64')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
