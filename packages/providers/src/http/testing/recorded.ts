import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireReply } from '../../conformance/wireServer.ts';

type Recording = { status: number; headers: Record<string, string>; body?: string; base64?: string };

const fixtures = join(import.meta.dirname, '../fixtures');

/**
 * Recorded responses of real servers, by the names in `fixtures/<server>.json`, with placeholders such as `{id}` filled in: BentoML
 * 1.4.39, Gradio 6.31, MLServer 1.7.1 and KServe 0.21.
 */
export function recordingsOf(server: string): (name: string, values?: Record<string, string>) => WireReply {
  const text = readFileSync(join(fixtures, `${server}.json`), 'utf8');
  const all = JSON.parse(text) as Record<string, { response: Recording }>;
  return (name, values = {}) => {
    const recording = all[name]?.response;
    if (recording === undefined) throw new Error(`${server} was not recorded saying "${name}"`);
    const { status, headers, body, base64 } = recording;
    const filled = (body ?? '').replace(/\{(\w+)\}/g, (all, key: string) => values[key] ?? all);
    return { status, headers, bytes: base64 ? Buffer.from(base64, 'base64') : Buffer.from(filled) };
  };
}
