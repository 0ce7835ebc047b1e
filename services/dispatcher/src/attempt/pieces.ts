import { storableJson } from '@holdfast/db/statement';
import type { StreamEvent } from '@holdfast/db/streams';
import type { StreamKind } from '@holdfast/domain/modelDefinition';

/** Bytes of output in one event. */
const maxEventBytes = 4096;

/** `bytes`: of output in it. */
export type Gathered = StreamEvent & { bytes: number; piece?: unknown };

export function sizeOf(events: readonly Gathered[]): number {
  return events.reduce((sum, { bytes }) => sum + bytes, 0);
}

export type Pieces = ReturnType<typeof createPieces>;

/** What waits to be shown, and what was. Texts and bytes that follow each other go together. */
export function createPieces(kind: StreamKind) {
  let waiting: Gathered[] = [];
  let text = '';
  let audio: Buffer[] = [];
  let bytes = 0;
  let shownTexts = '';
  const shownValues: unknown[] = [];

  function gather(): void {
    if (text !== '') waiting.push(...textEvents(text));
    if (audio.length > 0) waiting.push(...audioEvents(Buffer.concat(audio)));
    text = '';
    audio = [];
  }

  return {
    bytes: () => bytes,
    count: () => waiting.length + (text === '' ? 0 : 1) + (audio.length > 0 ? 1 : 0),
    output(piece: unknown): void {
      if (kind === 'text') {
        if (typeof piece !== 'string' || piece === '') return;
        text += piece;
        bytes += Buffer.byteLength(piece);
      } else if (kind === 'audio') {
        if (!Buffer.isBuffer(piece) || piece.length === 0) return;
        audio.push(piece);
        bytes += piece.length;
      } else {
        const data = storableJson({ delta: piece ?? null });
        waiting.push({ type: 'output', data, bytes: Buffer.byteLength(data), piece });
        bytes += Buffer.byteLength(data);
      }
    },
    add(event: StreamEvent): void {
      gather();
      waiting.push({ ...event, bytes: 0 });
    },
    take(): Gathered[] {
      gather();
      const taken = waiting;
      waiting = [];
      bytes = 0;
      return taken;
    },
    clear(): void {
      waiting = [];
      text = '';
      audio = [];
      bytes = 0;
    },
    show(events: readonly Gathered[]): void {
      for (const event of events) {
        if (event.type === 'reset') {
          shownTexts = '';
          shownValues.length = 0;
        } else if (event.type === 'output' && kind === 'text') shownTexts += String(event.piece);
        else if (event.type === 'output' && kind === 'json') shownValues.push(event.piece);
      }
    },
    shownText: () => shownTexts,
    shownOutput: (): Record<string, unknown> =>
      kind === 'json' ? { output: shownValues } : { text: shownTexts },
  };
}

const encoder = new TextEncoder();
const buffer = new Uint8Array(maxEventBytes);

/** No character is split. */
function textEvents(text: string): Gathered[] {
  const events: Gathered[] = [];
  for (let at = 0; at < text.length; ) {
    const { read, written } = encoder.encodeInto(text.slice(at, at + maxEventBytes + 1), buffer);
    const piece = text.slice(at, at + read);
    events.push({ type: 'output', data: storableJson({ delta: piece }), bytes: written, piece });
    at += read;
  }
  return events;
}

function audioEvents(audio: Buffer): Gathered[] {
  const count = Math.ceil(audio.length / maxEventBytes);
  return Array.from({ length: count }, (_, index) => {
    const piece = audio.subarray(index * maxEventBytes, (index + 1) * maxEventBytes);
    return { type: 'output', data: JSON.stringify({ delta: piece.toString('base64') }), bytes: piece.length };
  });
}
