import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError } from '@holdfast/domain/errors';
import { describe, expect, it } from '@jest/globals';
import { type FormFile, isForm, readForm } from './form.ts';

const headers = { 'content-type': 'multipart/form-data; boundary=xx' };

type Part = [name: string, value: string, filename?: string];

function formOf(...parts: Part[]): string {
  const shown = parts.map(([name, value, filename]) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    return `--xx\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return `${shown.join('')}--xx--\r\n`;
}

const inPieces = (form: string, size = 7) =>
  Readable.from(
    Array.from({ length: Math.ceil(form.length / size) }, (_, at) =>
      Buffer.from(form.slice(at * size, at * size + size)),
    ),
  );

async function read(body: string | Readable, take?: (file: FormFile) => Promise<void>) {
  const files: [string, string, string][] = [];
  const keep = async ({ field, filename, stream }: FormFile) => {
    files.push([field, filename, await text(stream)]);
  };
  const fields = await readForm(typeof body === 'string' ? inPieces(body) : body, headers, take ?? keep);
  return { fields, files };
}

const refused = (code: string) => expect.objectContaining({ constructor: ApiError, code });

describe('readForm', () => {
  it('returns fields, with lists by their names, and hands over files', async () => {
    const form = formOf(
      ['prompt', 'grüße'],
      ['image[]', 'one', 'a.png'],
      ['tags[]', 'x'],
      ['n', '1'],
      ['image[]', 'two', '../b.png'],
      ['n', '2'],
      ['__proto__', 'y'],
    );
    const { fields, files } = await read(form);
    expect(Object.entries(fields)).toEqual([
      ['prompt', 'grüße'],
      ['tags', ['x']],
      ['n', ['1', '2']],
      ['__proto__', 'y'],
    ]);
    expect(files).toEqual([
      ['image[]', 'a.png', 'one'],
      ['image[]', 'b.png', 'two'],
    ]);
  });

  it.each([
    ['that ends early', formOf(['a', 'b']).slice(0, -8)],
    ['that ends in a file', formOf(['a', 'bytes', 'f']).slice(0, -12)],
    ['of other bytes', 'no form'],
    ['without bytes', ''],
    ['with a text that the database cannot store', formOf(['a', 'b\0'])],
  ])('refuses a body %s', async (_what, form) => {
    await expect(read(form)).rejects.toEqual(refused('INPUT_VALIDATION_ERROR'));
  });

  it.each([
    ['text', formOf(['a', 'x'.repeat(600_000)], ['b', 'x'.repeat(600_000)])],
    ['a text', formOf(['a', 'x'.repeat(1_100_000)])],
    ['fields', formOf(...Array.from({ length: 300 }, (_, at): Part => [`f${at}`, '']))],
    ['files', formOf(...Array.from({ length: 40 }, (_, at): Part => [`f${at}`, '', 'f']))],
  ])('refuses a form with too large or too many: %s', async (_what, form) => {
    await expect(read(inPieces(form, 65_536))).rejects.toEqual(refused('PAYLOAD_TOO_LARGE'));
  });

  it('rejects with what ended the body, or with what the taker of a file rejects with', async () => {
    const broken = new Error('too slow');
    const body = Readable.from(
      (async function* () {
        yield Buffer.from(formOf(['a', 'x'.repeat(100), 'f']).slice(0, 80));
        throw broken;
      })(),
    );
    await expect(read(body)).rejects.toBe(broken);
    const full = new Error('the store is full');
    const form = inPieces(formOf(['a', 'x'.repeat(200_000), 'f']));
    await expect(read(form, () => Promise.reject(full))).rejects.toBe(full);
    expect(form.destroyed).toBe(true);
  });

  it('reads no more than a file that is not taken yet has room for', async () => {
    let sent = 0;
    const body = Readable.from(
      (async function* () {
        yield Buffer.from(formOf(['a', '', 'f']).split('\r\n--xx--')[0] ?? '');
        for (; sent < 1000; sent++) yield Buffer.alloc(65_536, 'x');
        yield Buffer.from('\r\n--xx--\r\n');
      })(),
    );
    let size = 0;
    await read(body, async ({ stream }) => {
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(sent).toBeLessThan(20);
      for await (const chunk of stream) size += (chunk as Buffer).length;
    });
    expect(size).toBe(65_536_000);
  });

  it('needs a boundary', async () => {
    const type = { 'content-type': 'multipart/form-data' };
    expect(isForm(type)).toBe(true);
    await expect(readForm(Readable.from([]), type, async () => {})).rejects.toEqual(
      refused('INPUT_VALIDATION_ERROR'),
    );
    expect(isForm({ 'content-type': 'application/json' })).toBe(false);
  });
});
