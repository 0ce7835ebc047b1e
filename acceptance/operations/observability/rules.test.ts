import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { alerts, dashboards, folder, readYaml } from './files.ts';
import { promtoolCommand } from './promtool.ts';

const promtool = await promtoolCommand();
const withPromtool = promtool ? it : it.skip;
if (!promtool)
  process.stderr.write('The alert rules are not run: promtool is missing (Debian: prometheus).\n');

const ask = (...args: string[]) =>
  outputOf(promtool ?? '', args, { cwd: folder, env: {}, timeoutMs: 60_000 });

describe('the rules', () => {
  withPromtool('are valid, as the settings of Prometheus are', async () => {
    expect(await ask('check', 'config', 'prometheus.yml')).toContain('2 rule files found');
  });

  withPromtool('fire and are silent as their tests say', async () => {
    expect(await ask('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

  it('are each tested both to fire and to stay silent', () => {
    type Test = { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] };
    const { tests } = readYaml('alerts.test.yml') as { tests: Test[] };
    const tested = tests.flatMap(({ alert_rule_test: cases }) =>
      cases.map(({ alertname, exp_alerts: fires }) => `${alertname} ${fires.length > 0}`),
    );
    const wanted = alerts().flatMap(({ alert }) => [`${alert} true`, `${alert} false`]);
    expect(tested.toSorted()).toEqual(wanted.toSorted());
  });
});

describe('the dashboards', () => {
  const scratch = testFolder('dashboard-queries');
  const file = join(scratch, 'panels.yml');
  beforeAll(() => {
    const rules = dashboards().flatMap(({ panels }) =>
      panels.flatMap(({ targets }) =>
        targets.map(({ expr }, index) => ({
          record: `panel:query_${index}`,
          expr: expr.replaceAll('$__rate_interval', '5m'),
        })),
      ),
    );
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  withPromtool('ask what Prometheus understands', async () => {
    expect(await ask('check', 'rules', '--lint=none', file)).toContain('SUCCESS');
  });
});
