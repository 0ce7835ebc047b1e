import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@holdfast/db/client';
import { readModel, saveConsoleModel } from '@holdfast/db/models';
import { checkModel } from '@holdfast/providers/catalogue/checkModel';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfastHere } from '../testing/holdfast.ts';

let url: string;
let drop: () => Promise<void>;
let folder: string;

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  folder = testFolder('models');
});
afterEach(() => drop());

const yaml = (slug: string, more = '') => `slug: ${slug}
provider: { adapter: cog, connection: gpu, model: acme/${slug} }
input_schema:
  type: object
  required: [prompt]
  properties:
    prompt: { type: string, maxLength: 100, description: What to write about. }
    tone: { type: string, enum: [dry, warm], default: dry }
price: { per_run: "0.01", per_second: "0.002" }
output: { kind: text }
${more}`;

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const env = () => ({ DATABASE_URL: url, GPU_BASE_URL: 'http://127.0.0.1:9' });
const models = (...args: string[]) => holdfastHere(['models', ...args], env());
const lines = (text: string) => text.trimEnd().split('\n');

describe('holdfast models apply', () => {
  it('makes the files the catalogue, and reports the changes', async () => {
    write('a.yaml', yaml('first'));
    write('b.yaml', yaml('second'));
    const added = await models('apply', folder);
    expect([added.code, lines(added.stdout)]).toEqual([
      0,
      ['added  first', 'added  second', 'Of 2 models 2 are offered.'],
    ]);
    write('a.yaml', yaml('first', 'timeout_s: 60\nactive: false').replace('0.01', '0.02'));
    rmSync(join(folder, 'b.yaml'));
    write('c.yaml', yaml('third'));
    const changed = await models('apply', folder);
    expect(lines(changed.stdout)).toEqual([
      'added      third',
      'changed    first   active, price, timeout_s, is no longer offered',
      'withdrawn  second',
      'Of 2 models 1 are offered.',
    ]);
    expect(JSON.parse((await models('apply', folder, '--dry-run', '--json')).stdout)).toEqual({
      is_dry_run: true,
      added: [],
      changed: [],
      withdrawn: [],
      unchanged: ['first', 'third'],
      conflicts: [],
      offered: ['third'],
    });
    expect(lines((await models('apply', folder)).stdout)).toEqual([
      'unchanged  first',
      'unchanged  third',
      'Of 2 models 1 are offered.',
    ]);
  });

  it('changes nothing in a dry run, and reports what would change', async () => {
    write('a.yaml', yaml('first'));
    for (let times = 0; times < 2; times += 1) {
      expect(lines((await models('apply', folder, '--dry-run')).stdout)).toEqual([
        'added  first',
        'Nothing was changed. Of 1 models 1 would be offered.',
      ]);
    }
    expect((await models('list', '--json')).stdout).toBe('[]\n');
  });

  it('reports every mistake of every file, and then applies nothing', async () => {
    write('a.yaml', yaml('first').replace('"0.01"', '0.01').concat('timeout: 5\n'));
    write('b.yaml', yaml('second', 'estimate: { seconds: { input: promt, default: 1 } }'));
    write('c.yaml', yaml('third'));
    write('d.yaml', yaml('first'));
    const { code, stdout, stderr } = await models('apply', folder);
    expect([code, stderr]).toEqual([1, '4 problems in 4 files.\n']);
    expect(lines(stdout)).toEqual([
      `${folder}/a.yaml:9: price.per_run: must be a decimal in quotes, such as "0.04", or a table`,
      `${folder}/a.yaml:11: timeout: is not known here; is "timeout_s" meant?`,
      `${folder}/b.yaml:11: estimate.seconds.input: "promt" is not a property of the input_schema; is "prompt" meant?`,
      `${folder}/d.yaml: slug: first is taken by a.yaml`,
    ]);
    expect((await models('list', '--json')).stdout).toBe('[]\n');
    expect((await holdfastHere(['models', 'validate', folder])).stdout).toBe(stdout);
  });

  it('withdraws nothing if the folder has no models or does not exist', async () => {
    write('a.yaml', yaml('first'));
    await models('apply', folder);
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    for (const wrong of [empty, join(folder, 'nowhere')]) {
      const { code, stderr } = await models('apply', wrong);
      expect(code).toBe(3);
      expect(stderr).toContain(wrong);
    }
    expect((await models('list')).stdout).toContain('first  yes');
  });
});

describe('a model of the console', () => {
  it('is marked in the list, exported as a file, and left as it is by other files', async () => {
    write('a.yaml', yaml('first'));
    await models('apply', folder);
    const kept = yaml('first').replace('0.01', '0.03');
    const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    const version = (await readModel(db, 'first'))?.version ?? null;
    const { definition } = checkModel({}, { yaml: kept, active: null });
    await saveConsoleModel(db, {
      slug: 'first',
      definition: definition ?? '',
      yaml: kept,
      isActive: true,
      version,
    });
    await db.close();
    expect((await models('export', 'first')).stdout).toBe(kept);
    expect((await models('list')).stdout).toMatch(/SOURCE[^]*console/);
    const { code, stdout } = await models('apply', folder);
    expect([code, lines(stdout)[0]]).toEqual([0, 'conflict  first  price']);
    expect((await models('export', 'first')).stdout).toBe(kept);
    const replaced = await models('apply', folder, '--replace-console');
    expect(lines(replaced.stdout)[0]).toBe('changed  first  price');
    expect((await models('show', 'first')).stdout).toMatch(/source +file/);
  });
});

describe('holdfast models list and show', () => {
  it('show where each model is offered, or what is missing for that', async () => {
    write('a.yaml', yaml('first', 'active: false'));
    write('b.yaml', yaml('second'));
    write('c.yaml', yaml('third').replace('connection: gpu', 'connection: other'));
    write('d.yaml', yaml('fourth').replace('adapter: cog, connection: gpu', 'adapter: fal, connection: fal'));
    const { stdout } = await models('apply', folder);
    expect(stdout).toContain('third is not offered: OTHER_BASE_URL is not set\n');
    const rows = lines((await models('list', '--all')).stdout).map((line) => line.split(/ {2,}/));
    expect(rows).toEqual([
      ['MODEL', 'OFFERED', 'PRICE', 'SOURCE', 'PROVIDERS'],
      [
        'first',
        'no: withdrawn, or active: false',
        '0.01 per run + 0.002 per second',
        'file',
        'gpu: acme/first (callback)',
      ],
      [
        'fourth',
        'no: FAL_KEY is not set',
        '0.01 per run + 0.002 per second',
        'file',
        'fal: acme/fourth (sync)',
      ],
      ['second', 'yes', '0.01 per run + 0.002 per second', 'file', 'gpu: acme/second (callback)'],
      [
        'third',
        'no: OTHER_BASE_URL is not set',
        '0.01 per run + 0.002 per second',
        'file',
        'other: acme/third (callback)',
      ],
    ]);
    const listed = JSON.parse((await models('list', '--json', '--all')).stdout);
    expect(listed[3]).toMatchObject({
      slug: 'third',
      offered: false,
      why_not: 'OTHER_BASE_URL is not set',
      providers: [{ connection: 'other', missing: 'OTHER_BASE_URL' }],
    });
  });

  it('hide withdrawn models unless --all is given', async () => {
    for (const name of ['first', 'second', 'third']) write(`${name}.yaml`, yaml(name));
    await models('apply', folder);
    rmSync(join(folder, 'second.yaml'));
    write('third.yaml', yaml('third', 'active: false'));
    await models('apply', folder);
    const { stdout, stderr } = await models('list');
    expect(lines(stdout).map((line) => line.split(' ')[0])).toEqual(['MODEL', 'first']);
    expect(stderr).toBe('Not listed: 2 withdrawn or with active: false. --all lists them too.\n');
    const slugs = async (...flags: string[]) =>
      (JSON.parse((await models('list', '--json', ...flags)).stdout) as { slug: string }[]).map(
        ({ slug }) => slug,
      );
    expect(await slugs()).toEqual(['first']);
    expect(await slugs('--all')).toEqual(['first', 'second', 'third']);
  });

  it('show a whole model, as it was applied or as its file defines it', async () => {
    write('a.yaml', yaml('first'));
    await models('apply', folder);
    write('a.yaml', yaml('first', 'timeout_s: 77'));
    const applied = lines((await models('show', 'first')).stdout);
    expect(applied).toContain('timeout  600 s');
    expect(applied).toContain('provider 1: acme/first at gpu by cog (http://127.0.0.1:9)');
    expect(applied).toContain('  prompt*  string ..100 characters  What to write about.');
    expect(applied).toContain('  tone     dry | warm               Default "dry".');
    expect((await models('show', 'first', '--models', folder)).stdout).toContain('timeout  77 s');
    const rows = 'per_run: [{ when: { prompt: a }, price: "1" }, { price: "0.5" }], minimum: "0.2"';
    write('a.yaml', yaml('first').replace('per_run: "0.01"', rows));
    const shown = lines((await models('show', 'first', '--models', folder)).stdout);
    expect(shown).toEqual(
      expect.arrayContaining([
        'price    0.5 to 1 per run, by prompt + 0.002 per second, at least 0.2',
        '         1 for prompt a',
        '         0.5 for everything else',
      ]),
    );
    const document = JSON.parse((await models('show', 'first', '--json')).stdout);
    expect(document).toMatchObject({ slug: 'first', timeout_s: 600, offered: true, why_not: null });
  });

  it.each([
    [['show', 'unknown'], 'there is no model "unknown"'],
    [['show'], 'takes one slug'],
    [['test'], 'takes one slug'],
    [['list', 'all'], "Unexpected argument 'all'"],
    [['apply', 'a', 'b'], 'models takes one folder'],
  ])('%j are invalid arguments', async (args, reason) => {
    const { code, stderr } = await models(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});
