import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { curlOf, goOf, runSamples } from './codeSamples.ts';

const input = {
  prompt: "It's a `test`,\nin two lines",
  'max-tokens': 3,
  safe: true,
  seed: null,
  sizes: [640, 480],
  none: [],
};

describe('the samples that run a model', () => {
  const samples = runSamples('sandbox-text', input);

  it('write values in the words of each language', () => {
    expect(samples['Python']).toContain(`"prompt": ${JSON.stringify(input.prompt)},`);
    expect(samples['Python']).toMatch(/"safe": True,\n {2}"seed": None,\n {2}"sizes": \[640, 480\],\n/);
    expect(samples['TypeScript']).toMatch(/'max-tokens': 3,\n {2}safe: true,\n {2}seed: null,/);
    expect(samples['TypeScript']).toContain('none: [],');
  });

  it('contain the input unchanged', () => {
    const [, typescript = ''] =
      /run\('sandbox-text', (.*?)\);\nconsole/s.exec(samples['TypeScript'] ?? '') ?? [];
    expect(runInNewContext(`(${typescript})`)).toEqual(input);
    const [, go = ''] = /NewReader\((".*")\)/.exec(samples['Go'] ?? '') ?? [];
    expect(JSON.parse(JSON.parse(go))).toEqual({ model: 'sandbox-text', input });
    const [, shell = ''] = /-d '(.*)'\n$/s.exec(samples['curl'] ?? '') ?? [];
    expect(JSON.parse(shell.replaceAll(String.raw`'\''`, "'"))).toEqual({ model: 'sandbox-text', input });
  });

  it('keep a short input on one line', () => {
    const { TypeScript, Python } = runSamples('sandbox-text', { prompt: 'Hello' });
    expect(TypeScript).toContain("client.run('sandbox-text', { prompt: 'Hello' });");
    expect(Python).toContain('client.run("sandbox-text", {"prompt": "Hello"}).output');
  });
});

describe('a sample of a request', () => {
  it('names the method only where curl would use another', () => {
    const get = { method: 'get', path: '/v1/models', json: null };
    expect(curlOf(get)).not.toContain('-X');
    expect(curlOf({ ...get, method: 'post' })).toContain('-X POST');
    expect(curlOf({ ...get, method: 'post', json: '{}' })).not.toContain('-X');
    expect(curlOf({ ...get, method: 'patch', json: '{}' })).toContain('-X PATCH');
  });

  it('imports in Go only what it uses', () => {
    expect(goOf({ method: 'get', path: '/v1/models', json: null })).not.toContain('"strings"');
    expect(goOf({ method: 'post', path: '/v1/executions', json: '{}' })).toContain('"strings"');
  });
});
