export type StreamKind = 'text' | 'json' | 'audio' | 'image';

/** What a running execution has shown so far. */
export type Stream = {
  /** Its text; of values of JSON, one a line. */
  written: string;
  /** Bytes of its audio. */
  audioBytes: number;
  /** The id of its last partial image. */
  image: string | null;
  hasOutput: boolean;
  /** The attempt that began the output again; null while the first one writes. */
  attempt: number | null;
  progress: number | null;
  lines: string[];
};

export const emptyStream: Stream = {
  written: '',
  audioBytes: 0,
  image: null,
  hasOutput: false,
  attempt: null,
  progress: null,
  lines: [],
};

export type StreamEvent =
  | { type: 'output'; data: { delta?: unknown; image?: string } }
  | { type: 'progress'; data: { progress: number | null } }
  | { type: 'logs'; data: { lines: string[] } }
  | { type: 'reset'; data: { attempt: number | null } }
  | { type: 'done'; data: object };

const maxLines = 500;

export function afterEvent(stream: Stream, kind: StreamKind, { type, data }: StreamEvent): Stream {
  switch (type) {
    case 'output':
      return { ...stream, ...withOutput(stream, kind, data), hasOutput: true };
    case 'progress':
      return { ...stream, progress: data.progress };
    case 'logs':
      return { ...stream, lines: [...stream.lines, ...data.lines].slice(-maxLines) };
    case 'reset':
      return { ...emptyStream, lines: stream.lines, attempt: data.attempt };
    case 'done':
      return stream;
  }
}

/** A whole output that is no piece of this kind is left to the record of the ended execution. */
function withOutput(
  { written, audioBytes }: Stream,
  kind: StreamKind,
  { delta, image }: { delta?: unknown; image?: string },
): Partial<Stream> {
  if (image !== undefined) return { image };
  if (kind === 'json') return { written: `${written}${JSON.stringify(delta)}\n` };
  if (typeof delta !== 'string') return {};
  if (kind === 'text') return { written: written + delta };
  return { audioBytes: audioBytes + Math.floor((delta.replace(/=+$/, '').length * 3) / 4) };
}
