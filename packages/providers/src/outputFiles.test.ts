import type { Success } from '@holdfast/domain/outcome';
import { describe, expect, it } from '@jest/globals';
import { copyOutputFiles, UnusableOutput } from './outputFiles.ts';

const png = 'data:image/png;base64,AA==';

function success(output: Record<string, unknown>): Success {
  return { ok: true, output, usage: { inputTokens: 0, outputTokens: 0 }, measured: {} };
}

const record = (file_id: string) => ({ file_id, format: 'png', width: 1, height: 2 });

function copier() {
  const copied: string[] = [];
  const copy = async (url: string) => {
    copied.push(url);
    return { file_id: `file_${copied.length}`, format: 'png', width: 1, height: 2 };
  };
  return { copied, copy };
}

describe('copyOutputFiles', () => {
  it('replaces each image by the record of its own copy, in order, also when two are equal', async () => {
    const { copied, copy } = copier();
    const given = success({ images: [{ url: png }, { url: 'https://a/b' }, { url: png }] });
    const { output } = await copyOutputFiles(given, { kind: 'images' }, copy);
    expect(output).toEqual({ images: [record('file_1'), record('file_2'), record('file_3')] });
    expect(copied).toEqual([png, 'https://a/b', png]);
  });

  it('finds every URL in raw output, and keeps other text', async () => {
    const { copy } = copier();
    const given = success({
      video: 'https://a/v.mp4',
      note: 'see https://a/v.mp4',
      n: [1, null, { x: png }, 'https://a/v.mp4'],
    });
    expect((await copyOutputFiles(given, { kind: 'raw' }, copy)).output).toEqual({
      video: expect.objectContaining({ file_id: 'file_1' }),
      note: 'see https://a/v.mp4',
      n: [
        1,
        null,
        { x: expect.objectContaining({ file_id: 'file_2' }) },
        expect.objectContaining({ file_id: 'file_1' }),
      ],
    });
  });

  it('finds only the files that raw output is said to have', async () => {
    const { copied, copy } = copier();
    const given = success({
      images: [{ url: 'https://a/1' }, { url: null }, { url: 'none' }],
      sources: ['https://a/1', 'https://b'],
    });
    const shape = { kind: 'raw', files: ['$.images[*].url'] } as const;
    expect((await copyOutputFiles(given, shape, copy)).output).toEqual({
      images: [{ url: record('file_1') }, { url: null }, { url: 'none' }],
      sources: ['https://a/1', 'https://b'],
    });
    expect(copied).toEqual(['https://a/1']);
    expect((await copyOutputFiles(given, { kind: 'raw', files: [] }, copy)).output).toEqual(given.output);
  });

  it.each([
    'https://a.example/b is where it is',
    'http://a\nhttps://b',
    'data: one, two',
    'data:one, two',
    'data:',
  ])('keeps text that begins like a URL: %j', async (text) => {
    const { copied, copy } = copier();
    const given = success({ text, more: 'DATA:;base64,AA==' });
    expect((await copyOutputFiles(given, { kind: 'raw' }, copy)).output).toMatchObject({ text });
    expect(copied).toEqual(['DATA:;base64,AA==']);
  });

  it('copies nothing for text, even when the text is a URL', async () => {
    const { copied, copy } = copier();
    const given = success({ text: 'https://a/b' });
    expect((await copyOutputFiles(given, { kind: 'text' }, copy)).output).toEqual(given.output);
    expect(copied).toEqual([]);
  });

  it.each([
    ['an empty list', { images: [] }],
    ['no list', { images: 'https://a/b' }],
    ['a list with something else', { images: [{ url: png }, { url: 'gs://a/b' }] }],
    ['a list with no files', { images: [{ text: 'none' }] }],
  ])('refuses %s, because a success without its files is a failure', async (_what, output) => {
    const { copied, copy } = copier();
    await expect(copyOutputFiles(success(output), { kind: 'images' }, copy)).rejects.toBeInstanceOf(
      UnusableOutput,
    );
    expect(copied).toEqual([]);
  });

  it('copies at most the allowed number of files', async () => {
    const { copied, copy } = copier();
    const videos = Array.from({ length: 20 }, (_, index) => ({ url: `https://a/${index}` }));
    await copyOutputFiles(success({ videos }), { kind: 'videos' }, copy, 20);
    expect(copied).toHaveLength(20);
    await expect(copyOutputFiles(success({ videos }), { kind: 'videos' }, copy, 19)).rejects.toThrow(
      '20 files',
    );
  });

  it('rejects when a copy fails, after the others have ended', async () => {
    let ended = false;
    const copy = async (url: string) => {
      if (url === png) throw new Error('refused');
      await new Promise((resolve) => setImmediate(resolve));
      ended = true;
      return { file_id: 'file_1', format: 'png' };
    };
    const given = success({ images: [{ url: png }, { url: 'https://a/b' }] });
    await expect(copyOutputFiles(given, { kind: 'images' }, copy)).rejects.toThrow('refused');
    expect(ended).toBe(true);
  });
});
