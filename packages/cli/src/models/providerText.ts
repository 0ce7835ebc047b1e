import type { Connection } from '@holdfast/providers/connection';
import { keysOf } from '@holdfast/providers/outcome/raw';

// oxlint-disable-next-line no-control-regex -- to remove them
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A provider's text, safe to print: without our keys, which it may repeat, and without control characters. */
export function withoutSecrets(text: string, connection: Connection | undefined): string {
  const keys = connection === undefined ? [] : keysOf(connection);
  return keys.reduce((rest, key) => rest.replaceAll(key, '[key]'), text).replace(controls, '\ufffd');
}
