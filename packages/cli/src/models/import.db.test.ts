import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { closeServer, listenAt } from '@holdfast/kit/http';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfastHere } from '../testing/holdfast.ts';

const fixtures = join(import.meta.dirname, '../../../providers/src/drafts/fixtures');
const responses: Record<string, string> = {
  '/models/black-forest-labs/flux-schnell': 'replicateFlux',
  '/api/openapi/queue/openapi.json?endpoint_id=fal-ai%2Fflux%2Fdev': 'falFlux',
  '/openapi.json': 'cog',
};

let server: Server;
let url: string;
let folder: string;
beforeEach(async () => {
  server = createServer(({ url: path = '' }, response) => {
    const name = responses[path];
    response.writeHead(name === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(name === undefined ? '{}' : readFileSync(join(fixtures, `${name}.json`)));
  });
  url = `http://127.0.0.1:${await listenAt(server, { host: '127.0.0.1', port: 0 })}`;
  folder = testFolder('models');
});
afterEach(() => closeServer(server));

const run = (...args: string[]) =>
  holdfastHere(['models', 'import', ...args, '--models', folder], {
    REPLICATE_BASE_URL: url,
    REPLICATE_API_TOKEN: 'r8_1',
    FAL_BASE_URL: url,
  });

describe('holdfast models import', () => {
  it('writes files that holdfast models validate accepts, and overwrites none', async () => {
    const imports = [
      ['replicate', 'black-forest-labs/flux-schnell'],
      ['fal', 'fal-ai/flux/dev', '--slug', 'flux'],
      ['cog', `${url}/`, '--connection', 'upscaler'],
    ];
    const ended = await Promise.all(imports.map((args) => run(...args)));
    expect(ended.map(({ code, stdout }) => [code, stdout.trim().split('/').at(-1)])).toEqual([
      [0, 'flux-schnell.yaml'],
      [0, 'flux.yaml'],
      [0, 'upscaler.yaml'],
    ]);
    const { code, stdout } = await holdfastHere(['models', 'validate', folder]);
    expect([code, stdout]).toEqual([0, 'All 3 models are valid.\n']);
    const again = await run('fal', 'fal-ai/flux/dev', '--slug', 'flux');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('flux.yaml exists')]);
  });

  it.each([
    [['replicate', 'acme/unknown'], 3, 'there is no model acme/unknown'],
    [['openai', 'gpt-4o'], 3, 'OPENAI_BASE_URL is not set'],
    [['replicate', 'a/b', '--connection', 'other'], 3, 'OTHER_API_KEY is not set'],
    [['cog', 'upscaler'], 2, 'a container is named by its URL'],
    [['huggingface', 'a/b'], 2, 'models import takes replicate, fal, openai, cog, and a name'],
    [['fal', 'fal-ai/flux/dev', '--slug', 'Flux'], 2, '--slug must be lower case'],
  ])('refuses %j and writes nothing', async (args, code, reason) => {
    const ended = await run(...args);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(reason)]);
  });
});
