import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { chartFolder } from '../../../scripts/generators/chart.ts';
import { type Groups } from '../../../scripts/generators/ruleFiles.ts';
import { chartRules } from '../../../scripts/generators/rulesOfChart.ts';
import { alerts, rulesOf } from '../observability/files.ts';
import { promtoolCommand } from '../observability/promtool.ts';
import { ofKind } from './pods.ts';
import { renderChart, valuesOf } from './renderChart.ts';

const [made] = ofKind(renderChart(valuesOf('everything')), 'PrometheusRule');
const spec = made?.['spec'] as Groups;
const rules = spec.groups.flatMap((group) => group.rules);
const promtool = await promtoolCommand();
const scratch = testFolder('chart-rules');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the alert rules of the chart', () => {
  it('are those of deploy/observability, as the generator writes them', () => {
    expect(readFileSync(join(chartFolder, 'files/rules.yaml'), 'utf8')).toBe(chartRules());
    expect(rules.map(({ alert, record }) => alert ?? record)).toEqual(
      [...rulesOf('recording.yml'), ...rulesOf('alerts.yml')].map(({ alert, record }) => alert ?? record),
    );
  });

  it('select only the namespace of the release, and are labelled with it', () => {
    for (const { expr, labels } of rules) {
      const metrics = expr.match(/\b(?:holdfast|nodejs)[_:][\w:]+/g) ?? [];
      expect(metrics.length).toBeGreaterThan(0);
      expect(expr.match(/\{namespace="prod"[,}]/g)).toHaveLength(metrics.length);
      expect(labels?.['namespace']).toBe('prod');
    }
  });

  it('link to the runbooks under the configured URL', () => {
    const urls = rules.flatMap(({ annotations }) => annotations?.['runbook_url'] ?? []);
    const runbooks = 'https://git.example.com/holdfast/blob/main/docs/operate/alerts';
    expect(urls).toEqual(alerts().map(({ alert }) => `${runbooks}/${alert}.md`));
  });

  (promtool ? it : it.skip)('are what Prometheus understands', async () => {
    const file = join(scratch, 'rules.yml');
    writeFileSync(file, stringify(spec));
    expect(
      await outputOf(promtool ?? '', ['check', 'rules', file], { env: {}, timeoutMs: 60_000 }),
    ).toContain(`SUCCESS: ${rules.length} rules found`);
  });

  it('are omitted unless the values turn them on', () => {
    expect(ofKind(renderChart(valuesOf('minimal')), 'PrometheusRule')).toEqual([]);
  });
});
