import { describe, expect, it } from '@jest/globals';
import { type Dict } from '../../../scripts/generators/chart.ts';
import { ofKind, selects, workloadsOf } from './pods.ts';
import { renderChart, valueSets, valuesOf } from './renderChart.ts';

/** The maximum time that a service takes to stop after SIGTERM (kit/service). */
const stopsWithinS = 30;
const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'];

describe.each(valueSets)('the workloads with the values %s', (name) => {
  const objects = renderChart(valuesOf(name));
  const workloads = workloadsOf(objects);
  const deployments = workloads.filter(({ kind }) => kind === 'Deployment');

  it('are the services, migrate, and the optional pods', () => {
    expect(deployments.map((one) => one.name)).toEqual(expect.arrayContaining(services));
    expect(new Set(objects.map((one) => `${one.kind} ${one.metadata.name}`)).size).toBe(objects.length);
  });

  it('run without root, capabilities, a writable file system, or a token of the cluster', () => {
    for (const { pod, container } of workloads) {
      expect(pod.securityContext).toEqual({
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod[field]).toBeUndefined();
    }
  });

  it('write only to /tmp, which has a limit', () => {
    for (const { pod, container } of workloads) {
      const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true);
      expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
      const tmp = pod.volumes.find((volume) => volume['name'] === 'tmp');
      expect(tmp).toMatchObject({ emptyDir: { medium: 'Memory', sizeLimit: expect.any(String) } });
    }
  });

  it('have resource requests and limits', () => {
    for (const { container } of workloads) {
      expect(Object.keys(container.resources.requests)).toEqual(['cpu', 'memory']);
      expect(Object.keys(container.resources.limits)).toEqual(['cpu', 'memory']);
    }
  });

  it('get enough time to stop', () => {
    for (const { pod, container, name: which } of workloads.filter((one) => one.container.startupProbe)) {
      const preStopS = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(preStopS + stopsWithinS);
      if (which === 'api-gateway') expect(preStopS).toBeGreaterThan(0);
    }
  });

  it('are probed at the health port', () => {
    for (const { container } of workloads.filter((one) => services.includes(one.name))) {
      expect(container.ports).toContainEqual({ name: 'metrics', containerPort: 9464 });
      expect(container.env).toContainEqual({ name: 'METRICS_PORT', value: '9464' });
      expect(container.startupProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'metrics' } });
      expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'metrics' } });
      expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'metrics' } });
    }
  });

  it('are replaced one by one with the new pod first, are spread over nodes, and are drained one at a time', () => {
    for (const { spec, pod, labels, name: which } of deployments.filter((one) =>
      services.includes(one.name),
    )) {
      expect(spec['strategy']).toMatchObject({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
      expect(pod['topologySpreadConstraints']).toHaveLength(2);
      for (const constraint of pod['topologySpreadConstraints'] as Dict[])
        expect(selects(constraint['labelSelector'], labels)).toBe(true);
      const budgets = ofKind(objects, 'PodDisruptionBudget').filter(({ spec: budget }) =>
        selects((budget as Dict)['selector'], labels),
      );
      expect(budgets.map(({ metadata }) => metadata.name)).toEqual([`hf-holdfast-${which}`]);
    }
  });

  it('are selected only by their own Deployment', () => {
    for (const deployment of deployments) {
      const selected = workloads.filter(({ labels }) => selects(deployment.spec['selector'], labels));
      expect(selected.map((one) => one.name)).toEqual([deployment.name]);
    }
  });
});
