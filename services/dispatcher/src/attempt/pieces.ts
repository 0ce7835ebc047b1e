import { storableJson } from '@holdfast/db/statement';
import type { StreamEvent } from '@holdfast/db/streams';
import type { StreamKind } from '@holdfast/domain/modelDefinition';
import type { OutputKind } from '@holdfast/domain/modelResponse';
import { heldBody, type OutputBody, openedBody } from '@holdfast/providers/outputBody';

/** Bytes of output in one event. */
const maxEventBytes = 4096;

/** `bytes`: of output in it. `piece`: text, a JSON value, bytes of audio, or the id of a partial image. */
export type Gathered = StreamEvent & { bytes: number; piece?: unknown };

export function sizeOf(events: readonly Gathered[]): number {
  return events.reduce((sum, { bytes }) => sum + bytes, 0);
}

export type OpenFile = (id: string) => ReturnType<OutputBody['open']>;

type ShownOutput = { output: Record<string, unknown>; bodies?: OutputBody[] };

export type Pieces = ReturnType<typeof createPieces>;

/** What waits to be shown, and what was. Texts and bytes that follow each other go together. */
export function createPieces(kind: StreamKind) {
  let waiting: Gathered[] = [];
  let text = '';
  let audio: Buffer[] = [];
  let bytes = 0;
  let shown: unknown[] = [];

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
        const data = storableJson(kind === 'image' ? { image: piece } : { delta: piece ?? null });
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
      for (const { type, piece } of events) {
        if (type === 'reset') shown = [];
        else if (type === 'output') shown.push(piece);
      }
    },
    shownText: () => shown.join(''),
    /** What was shown, as the output of a run: of images the last. `openFile`: by its id, in our store. */
    shownOutput(outputKind: OutputKind, openFile: OpenFile): ShownOutput {
      if (kind === 'text') return { output: { text: shown.join('') } };
      if (kind === 'json') return { output: { output: shown } };
      const body =
        kind === 'audio'
          ? heldBody(new Blob(shown as Buffer<ArrayBuffer>[]), null)
          : openedBody(() => openFile(String(shown.at(-1))));
      const { reference } = body;
      const output = outputKind === 'raw' ? { output: reference } : { [outputKind]: [{ url: reference }] };
      return { output, bodies: [body] };
    },
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
    const data = JSON.stringify({ delta: piece.toString('base64') });
    return { type: 'output', data, bytes: piece.length, piece };
  });
}
