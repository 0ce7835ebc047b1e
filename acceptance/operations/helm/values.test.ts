import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { chartFolder, type Dict, defaults } from '../../../scripts/generators/chart.ts';
import { ofKind, workloadsOf } from './pods.ts';
import { notesOf, renderChart, valuesOf } from './renderChart.ts';

const textOf = (file: string) => readFileSync(resolve(chartFolder, file), 'utf8');
const minimal = () => valuesOf('minimal');
const scratch = testFolder('chart-notes');
const folder = (name: string) => resolve(scratch, name);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the values of the chart', () => {
  it('are refused with all missing ones named at once', () => {
    expect(() => renderChart({})).toThrow(
      /(?=[\s\S]*publicUrl)(?=[\s\S]*postgres\/host)(?=[\s\S]*s3\/endpoint)/,
    );
  });

  it.each<[string, Dict]>([
    ['a key of a provider among the settings', { env: { OPENAI_API_KEY: 'x' } }],
    ['a database URL among the settings', { services: { ledger: { env: { DATABASE_URL: 'x' } } } }],
    ['a URL of the replica among the settings', { env: { DATABASE_REPLICA_URL: 'x' } }],
    ['headers for the collector among the settings', { env: { OTEL_EXPORTER_OTLP_HEADERS: 'x' } }],
    ['an unknown value', { replicaCount: 3 }],
    ['an unknown way to scale', { autoscaling: { mode: 'vpa' } }],
    ['KEDA without an address', { autoscaling: { mode: 'keda' } }],
    ['an Ingress without a host', { ingress: { enabled: true } }],
    ['a number in words', { services: { ledger: { replicas: 'two' } } }],
  ])('are refused with %s', (_what, wrong) => {
    expect(() => renderChart({ ...minimal(), ...wrong })).toThrow("values don't meet the specifications");
    expect(renderChart(minimal()).length).toBeGreaterThan(0);
  });

  it('are all described in the README', () => {
    const described = textOf('README.md');
    const missing = Object.keys(defaults()).filter((name) => !described.includes(`\`${name}`));
    expect(missing).toEqual([]);
  });

  it('for models make a ConfigMap that exists before migrate reads it', () => {
    const objects = renderChart(valuesOf('everything'));
    const [map] = ofKind(objects, 'ConfigMap');
    expect(map?.['data']).toEqual({
      'one.yaml': 'slug: one\nname: "One: a model"\n',
      'two.yaml': 'slug: two\n',
    });
    const job = ofKind(objects, 'Job')[0];
    const weight = (object: typeof map) => Number(object?.metadata.annotations?.['helm.sh/hook-weight']);
    for (const hook of [map, job])
      expect(hook?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(weight(map)).toBeLessThan(weight(job));
    const migrate = workloadsOf(objects).find(({ name }) => name === 'migrate');
    expect(migrate?.container.env).toContainEqual({ name: 'MODELS_DIR', value: '/models' });
    expect(migrate?.container.volumeMounts).toContainEqual({
      name: 'models',
      mountPath: '/models',
      readOnly: true,
    });
  });

  it('appear in the notes', () => {
    const notes = notesOf(valuesOf('everything'), folder('everything'));
    expect(notes).toContain('https://api.example.com');
    expect(notes).toContain('kubectl -n prod logs job/hf-holdfast-migrate');
    expect(notes).toContain('Not for production');
    expect(notes).toContain('kubectl -n prod exec deploy/hf-holdfast-tools -- holdfast doctor');
    expect(notesOf(minimal(), folder('minimal'))).toContain('There is no Ingress');
  });

  it('belong to a chart with the version of the project', () => {
    const chart = parse(textOf('Chart.yaml')) as Dict;
    const project = JSON.parse(readFileSync(resolve(chartFolder, '../../../package.json'), 'utf8')) as Dict;
    expect(chart).toMatchObject({ version: project['version'], appVersion: project['version'] });
  });
});
