import { describe, expect, it } from '@jest/globals';
import { afterEvent, emptyStream, type Stream, type StreamEvent, type StreamKind } from './shownStream.ts';

const read = (kind: StreamKind, ...events: StreamEvent[]): Stream =>
  events.reduce((stream, event) => afterEvent(stream, kind, event), emptyStream);

const output = (delta: unknown): StreamEvent => ({ type: 'output', data: { delta } });

describe('afterEvent', () => {
  it('appends text, and begins again after a reset', () => {
    const once = [output('Once '), output('upon')];
    expect(read('text', ...once)).toMatchObject({ written: 'Once upon', hasOutput: true, attempt: null });
    const reset: StreamEvent = { type: 'reset', data: { attempt: 2 } };
    expect(read('text', ...once, reset)).toMatchObject({ written: '', hasOutput: false, attempt: 2 });
    expect(read('text', ...once, reset, output('A'))).toMatchObject({ written: 'A', attempt: 2 });
  });

  it('writes a value of JSON on each line, and counts the bytes of audio', () => {
    expect(read('json', output({ n: 1 }), output(2)).written).toBe('{"n":1}\n2\n');
    expect(read('audio', output('AAAA'), output('AAAAAA==')).audioBytes).toBe(7);
  });

  it('keeps the last partial image', () => {
    const partial = (image: string): StreamEvent => ({ type: 'output', data: { image } });
    const images = output({ images: [{ file_id: 'file_3' }] });
    expect(read('image', partial('file_1'), partial('file_2'), images)).toMatchObject({
      image: 'file_2',
      written: '',
    });
  });

  it('shows no text of a whole output that has other fields', () => {
    expect(read('text', output({ text: 'whole', language: 'en' })).written).toBe('');
  });

  it('keeps progress and the last log lines', () => {
    const logs: StreamEvent = {
      type: 'logs',
      data: { lines: Array.from({ length: 400 }, (_, n) => String(n)) },
    };
    const stream = read('text', logs, logs, { type: 'progress', data: { progress: 0.5 } });
    expect(stream.progress).toBe(0.5);
    expect(stream.lines).toHaveLength(500);
    expect(stream.lines.at(-1)).toBe('399');
  });
});
