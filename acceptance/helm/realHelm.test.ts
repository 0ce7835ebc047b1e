import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { describe, expect, it } from '@jest/globals';
import {
  chartFolder,
  type KubernetesObject,
  objectsOf,
  release,
  renderChart,
  valueSets,
  valuesOf,
} from './renderChart.ts';

const helm = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'helm'))
  .find((file) => existsSync(file));
// Neither npm nor Debian has Helm. Where it is installed, this compares its output with that of our renderer.
const withHelm = helm ? it : it.skip;

const byName = (objects: KubernetesObject[]) =>
  Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));

describe('Helm itself (skipped if `helm` is not on the PATH)', () => {
  withHelm.each(valueSets)('renders the same objects from the values %s', async (name) => {
    const values = ['--values', join(chartFolder, `ci/${name}-values.yaml`), '--kube-version', '1.36.0'];
    await outputOf(helm ?? '', ['lint', '--strict', chartFolder, ...values], { env: process.env });
    const place = [release.name, chartFolder, '--namespace', release.namespace];
    const made = objectsOf(
      await outputOf(helm ?? '', ['template', ...place, ...values], { env: process.env }),
    );
    const { objects } = renderChart(valuesOf(name));
    expect(objects).toHaveLength(made.length);
    expect(byName(objects)).toEqual(byName(made));
  });
});
