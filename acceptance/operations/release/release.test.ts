import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { renderChart, valuesOf } from '../helm/renderChart.ts';
import { cloneForRelease, type ReleaseClone, root } from './releaseClone.ts';

const before =
  '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A lighthouse.\n\n## [0.0.1] - 2026-01-01\n\n- A start.\n';

let clone: ReleaseClone;
beforeAll(async () => void (clone = await cloneForRelease(before)), 60_000);
afterAll(() => rmSync(clone.folder, { recursive: true, force: true }));

/** The versions in every manifest of the tree that has one. */
async function versions(): Promise<Set<unknown>> {
  const json = (await clone.git('ls-files', '--', 'package.json', 'packages', 'services', 'sdk', 'docs'))
    .split('\n')
    .filter((file) => /(^|\/)package\.json$|openapi\.json$/.test(file));
  const found = json.map((file) => {
    const { version, info } = JSON.parse(clone.read(file)) as {
      version?: string;
      info?: { version: string };
    };
    return version ?? info?.version;
  });
  const chart = parse(clone.read('deploy/helm/holdfast/Chart.yaml')) as Record<string, unknown>;
  const images = clone.read('docker-compose.yml').match(/(?<=HOLDFAST_VERSION:-)[^}]+/g) ?? [];
  const [python] = clone.read('sdk/python/pyproject.toml').match(/(?<=^version = ")[^"]+/m) ?? [];
  expect(images).toHaveLength(9);
  return new Set([...found.filter(Boolean), ...images, chart['version'], chart['appVersion'], python]);
}

const today = () => new Date().toISOString().slice(0, 10);

const state = async () => [await clone.git('rev-parse', 'HEAD'), await clone.git('tag')];

async function expectRefusal(version: string, reason: RegExp): Promise<void> {
  const unchanged = [...(await state()), await clone.git('status', '--porcelain')];
  const { code, stderr } = await clone.release(version);
  expect([code, stderr]).toEqual([1, expect.stringMatching(reason)]);
  expect([...(await state()), await clone.git('status', '--porcelain')]).toEqual(unchanged);
}

describe('npm run release', () => {
  it('refuses a tree with changes', async () => {
    clone.write('left-over.txt', 'x');
    await expectRefusal('90.0.0', /left-over\.txt/);
    rmSync(join(clone.folder, 'left-over.txt'));
  });

  it.each([
    ['a version that is not newer', '0.0.1', /not newer/],
    ['a pre-release of an older version', '0.0.1-rc.1', /not newer/],
    ['a word', 'next', /not a version/],
    ['a version with a prefix', 'v90.0.0', /not a version/],
  ])('refuses %s', async (_what, version, reason) => expectRefusal(version, reason));

  it('releases the version that the tree has already, while it has no tag', async () => {
    const [head, { version }] = [
      await clone.git('rev-parse', 'HEAD'),
      JSON.parse(clone.read('package.json')),
    ];
    expect(await clone.release(version)).toMatchObject({ code: 0 });
    expect(await clone.git('tag', '--points-at', 'HEAD')).toBe(`v${version}`);
    await expectRefusal(version, /not newer/);
    await clone.git('tag', '--delete', `v${version}`);
    await clone.git('reset', '--quiet', '--hard', head);
  });

  it('sets the version in every manifest, closes the section of the changelog, commits and tags', async () => {
    const days = [today()];
    expect(await clone.release('90.0.0-rc.1')).toMatchObject({ code: 0 });
    days.push(today());
    expect(await versions()).toEqual(new Set(['90.0.0-rc.1']));
    const changelogOf = (day: string) =>
      before.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [90.0.0-rc.1] - ${day}\n`);
    expect(days.map(changelogOf)).toContain(clone.read('CHANGELOG.md'));
    expect(await clone.git('status', '--porcelain')).toBe('');
    expect(await clone.git('tag', '--points-at', 'HEAD')).toBe('v90.0.0-rc.1');
    expect(await clone.git('cat-file', '-t', 'v90.0.0-rc.1')).toBe('tag');
  });

  it('refuses a changelog without a change', () => expectRefusal('90.0.0', /no change/));

  it('accepts a release after its pre-release, but not the reverse', async () => {
    clone.write(
      'CHANGELOG.md',
      clone.read('CHANGELOG.md').replace('[Unreleased]\n', '[Unreleased]\n\n- A buoy.\n'),
    );
    await clone.commitAll('docs: name a buoy');
    expect(await clone.release('90.0.0')).toMatchObject({ code: 0 });
    await expectRefusal('90.0.0-rc.2', /not newer/);
  });

  it('completes a release that ended before its tag', async () => {
    await clone.git('tag', '--delete', 'v90.0.0');
    const head = await clone.git('rev-parse', 'HEAD');
    expect(await clone.release('90.0.0')).toMatchObject({ code: 0 });
    expect(await clone.git('rev-parse', 'v90.0.0^{commit}')).toBe(head);
    await expectRefusal('90.0.0', /not newer/);
  });

  it('finds each place of the version in this tree', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    await clone.git('checkout', '--quiet', '--detach', clone.start);
    expect(await versions()).toEqual(new Set([version]));
  });
});

describe('the packages of a release', () => {
  const unpacked = (name: string) => join(clone.folder, 'unpacked', name);

  beforeAll(async () => {
    const { code, stderr } = await clone.release(
      '--pack',
      'packages-of-release',
      '--only',
      'chart,compose',
      '--images',
      'registry.example.com/hf',
      '--source',
      'https://git.example.com/hf',
    );
    expect([code, stderr]).toEqual([0, '']);
    const { version } = JSON.parse(clone.read('package.json')) as { version: string };
    for (const name of ['holdfast', 'holdfast-compose']) {
      mkdirSync(unpacked(name), { recursive: true });
      const file = join(clone.folder, `packages-of-release/${name}-${version}.tgz`);
      await outputOf('tar', ['-xzf', file, '-C', unpacked(name)], { env: process.env });
    }
  }, 60_000);

  it('have their checksums', async () => {
    const cwd = join(clone.folder, 'packages-of-release');
    const checked = await outputOf('sha256sum', ['--check', 'SHA256SUMS'], { cwd, env: process.env });
    expect(checked.match(/: OK$/gm)).toHaveLength(2);
  });

  (process.env['HELM'] ? it : it.skip)(
    'contain a chart that renders as the one of the tree, with the published images and its source',
    () => {
      const values = valuesOf('minimal');
      const objects = renderChart(values, join(unpacked('holdfast'), 'holdfast'));
      const prefix = 'registry.example.com/hf';
      const chart = parse(readFileSync(join(unpacked('holdfast'), 'holdfast/Chart.yaml'), 'utf8')) as Record<
        string,
        unknown
      >;
      expect(chart['sources']).toEqual(['https://git.example.com/hf']);
      expect(objects).toEqual(renderChart({ ...values, image: { prefix } }));
    },
  );

  it('contain a compose file that names published images and builds none', () => {
    const file = join(unpacked('holdfast-compose'), 'holdfast/docker-compose.yml');
    const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
      services: Record<string, { image: string; build?: unknown }>;
    };
    const images = Object.values(services).map(({ image }) => image);
    const own = images.filter((image) => image.startsWith('${IMAGE_PREFIX:-registry.example.com/hf}-'));
    expect(own).toHaveLength(9);
    for (const { build } of Object.values(services)) expect(build).toBeUndefined();
  });
});
