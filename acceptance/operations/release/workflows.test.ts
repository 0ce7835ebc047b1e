import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { root } from './releaseClone.ts';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = {
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  uses?: string;
  steps?: Step[];
  strategy?: { matrix: Record<string, string[]> };
};
type Workflow = { permissions: unknown; concurrency: { group: string }; jobs: Record<string, Job> };

const folder = '.github/workflows';
const files = globSync('*.yml', { cwd: join(root, folder) }).toSorted();
const textOf = (file: string) => readFileSync(join(root, folder, file), 'utf8');
const workflowOf = (file: string) => parse(textOf(file)) as Workflow;
const jobsOf = (file: string) => Object.entries(workflowOf(file).jobs);
const stepsOf = (file: string) => jobsOf(file).flatMap(([, { steps = [] }]) => steps);

const wrong = {
  'an unknown job': 'jobs: { a: { runs-on: ubuntu-latest, needs: [b], steps: [{ run: x }] } }',
  'an unknown runner': 'jobs: { a: { runs-on: ubuntu-newest, steps: [{ run: x }] } }',
  'an unknown expression': 'jobs: { a: { runs-on: ubuntu-latest, steps: [{ run: "${{ gitub.sha }}" }] } }',
};

const problemsOf = JSON.parse(
  execFileSync(process.execPath, [join(import.meta.dirname, 'actionlint.ts')], {
    input: JSON.stringify({
      ...Object.fromEntries(Object.entries(wrong).map(([what, jobs]) => [what, `on: push\n${jobs}\n`])),
      ...Object.fromEntries(files.map((file) => [file, textOf(file)])),
    }),
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
    encoding: 'utf8',
  }),
) as Record<string, string[]>;

describe('the linter', () => {
  it.each(Object.keys(wrong))('finds %s', (what) => {
    expect(problemsOf[what]).toHaveLength(1);
  });
});

describe.each(files)('the workflow %s', (file) => {
  it('has no error that actionlint finds', () => {
    expect(problemsOf[file]).toEqual([]);
  });

  it('gives each job only the permissions that it lists, and a time limit', () => {
    expect(workflowOf(file).permissions).toEqual({});
    expect(workflowOf(file).concurrency.group).toMatch(/./);
    for (const [name, job] of jobsOf(file)) {
      expect([name, job.permissions]).toEqual([name, expect.objectContaining({})]);
      if (!job.uses) expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)]);
    }
  });

  it('pins every action to a commit, and names its version', () => {
    const used = textOf(file).match(/(?<=uses: )[^\n.][^\n]*/g) ?? [];
    for (const one of used) expect(one).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('passes values to commands by the environment, and checks out without credentials', () => {
    for (const { run = '', uses = '', with: inputs } of stepsOf(file)) {
      expect(run).not.toContain('${{');
      if (uses.startsWith('actions/checkout@'))
        expect(inputs).toMatchObject({ 'persist-credentials': false });
    }
    expect(textOf(file)).not.toContain('pull_request_target');
  });

  it('runs tasks that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const tasks = [...textOf(file).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(tasks.filter((name) => !(name in scripts))).toEqual([]);
    const matrix = jobsOf(file).flatMap(([, { strategy }]) => strategy?.matrix['suite'] ?? []);
    const named = [...textOf(file).matchAll(/test:acceptance -- (\w+)/g)].map(([, name = '']) => name);
    const missing = [...matrix, ...named].filter(
      (name) => globSync(`acceptance/*/${name}`, { cwd: root }).length === 0,
    );
    expect(missing).toEqual([]);
  });
});

describe('the release', () => {
  const { jobs } = workflowOf('release.yml');

  it('may write only where it publishes', () => {
    const writers = Object.entries(jobs).filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    );
    expect(Object.fromEntries(writers.map(([name, job]) => [name, job.permissions]))).toEqual({
      images: { contents: 'read', packages: 'write', 'id-token': 'write' },
      chart: { packages: 'write', 'id-token': 'write' },
      npm: { 'id-token': 'write' },
      pypi: { 'id-token': 'write' },
      release: { contents: 'write', packages: 'write', 'id-token': 'write' },
    });
    expect(textOf('release.yml')).not.toContain('secrets.');
  });

  it('pushes every image that the compose file and the chart use', () => {
    const targets = readFileSync(join(root, 'docker-compose.override.yml'), 'utf8').match(
      /(?<=target: )[\w-]+/g,
    );
    expect(new Set(jobs['images']?.strategy?.matrix['image'])).toEqual(new Set(targets));
  });
});

describe('Dependabot', () => {
  type Update = { 'package-ecosystem': string; directory?: string; directories?: string[] };
  const { updates } = parse(readFileSync(join(root, '.github/dependabot.yml'), 'utf8')) as {
    updates: Update[];
  };
  const foldersOf = (ecosystem: string) =>
    updates
      .filter((update) => update['package-ecosystem'] === ecosystem)
      .flatMap(({ directory, directories = [] }) => [...directories, ...(directory ? [directory] : [])]);

  it('watches every lockfile, and everything else with versions', () => {
    const lockfiles = globSync('{,*/,*/*/,*/*/*/,*/*/*/*/}pnpm-lock.yaml', {
      cwd: root,
      exclude: (name) => name.includes('node_modules'),
    });
    const folders = lockfiles.map((file) => `/${file.replace(/\/?pnpm-lock\.yaml$/, '')}`);
    expect(foldersOf('npm').toSorted()).toEqual(folders.toSorted());
    const manifests = {
      pip: 'pyproject.toml',
      'github-actions': '.github/workflows',
      docker: 'Dockerfile',
      'docker-compose': 'docker-compose.yml',
    };
    for (const [ecosystem, manifest] of Object.entries(manifests)) {
      const [watched = 'none'] = foldersOf(ecosystem);
      expect([ecosystem, existsSync(join(root, watched, manifest))]).toEqual([ecosystem, true]);
    }
  });
});
