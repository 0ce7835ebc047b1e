import { describe, expect, it } from '@jest/globals';
import { type KubernetesObject, renderChart, valueSets, valuesOf } from './renderChart.ts';
import { schemaProblems } from './schemas.ts';

function deployment(spec: object): KubernetesObject {
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: labels }, template },
  };
}

describe('the objects of the chart', () => {
  it.each(valueSets)('with the values %s are what Kubernetes knows', (name) => {
    const { objects } = renderChart(valuesOf(name));
    const problems = objects.flatMap((object) =>
      schemaProblems(object).map((problem) => `${object.kind} ${object.metadata.name}: ${problem}`),
    );
    expect(objects.length).toBeGreaterThan(10);
    expect(problems).toEqual([]);
  });

  it('of every kind come up', () => {
    const kinds = new Set(
      valueSets.flatMap((name) => renderChart(valuesOf(name)).objects).map(({ kind }) => kind),
    );
    expect([...kinds].toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodMonitor',
      'PrometheusRule',
      'ScaledObject',
      'Service',
      'TriggerAuthentication',
    ]);
  });
});

describe('the schemas', () => {
  const container = { name: 'a', image: 'b' };

  it('let what is right pass', () => {
    expect(schemaProblems(deployment({ containers: [container] }))).toEqual([]);
  });

  it.each([
    ['a wrong type', { containers: [{ ...container, ports: [{ containerPort: 'http' }] }] }],
    ['a missing field', { containers: [{ image: 'b' }] }],
    ['a word of no list', { containers: [container], restartPolicy: 'Sometimes' }],
    ['a field that nobody knows', { containers: [{ ...container, readynessProbe: {} }] }],
    ['a field in the wrong place', { containers: [container], readOnlyRootFilesystem: true }],
  ])('find %s', (_what, spec) => {
    expect(schemaProblems(deployment(spec))).toHaveLength(1);
  });

  it('find an object that nobody knows', () => {
    expect(schemaProblems({ apiVersion: 'v1', kind: 'Pot', metadata: { name: 'a' } })).toHaveLength(1);
  });
});
