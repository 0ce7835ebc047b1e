import { describe, expect, it } from '@jest/globals';
import { type Dashboard, dashboards } from './files.ts';

const all = dashboards();
const variables = /\$\{?(\w+)\}?/g;
const ofGrafana = ['__rate_interval', '__all'];

/** Pairs of panels that overlap. */
function overlaps({ panels }: Dashboard): string[] {
  const isLeftOf = (a: number, size: number, b: number) => a + size <= b;
  return panels.flatMap(({ title, gridPos: a }, at) =>
    panels
      .slice(at + 1)
      .filter(
        ({ gridPos: b }) =>
          !isLeftOf(a.x, a.w, b.x) &&
          !isLeftOf(b.x, b.w, a.x) &&
          !isLeftOf(a.y, a.h, b.y) &&
          !isLeftOf(b.y, b.h, a.y),
      )
      .map((other) => `${title} and ${other.title}`),
  );
}

describe('the dashboards', () => {
  it('have a unique address and title, and a title and id for each panel', () => {
    expect(all.map(({ file, uid }) => file === `${uid}.json`)).toEqual(all.map(() => true));
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
    for (const { panels } of all) {
      expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    }
  });

  it('have no overlapping panels', () => {
    expect(all.flatMap(overlaps)).toEqual([]);
    for (const { x, w } of all.flatMap(({ panels }) => panels.map(({ gridPos }) => gridPos))) {
      expect(x + w).toBeLessThanOrEqual(24);
    }
  });

  it('use the chosen data source and namespace, and no other variable', () => {
    const chosen = { type: 'prometheus', uid: '${datasource}' };
    for (const { panels, templating } of all) {
      expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
        ['datasource', 'datasource'],
        ['namespace', 'query'],
      ]);
      // With Docker there is no namespace, so there is no condition on it.
      expect(templating.list[1]).toMatchObject({ datasource: chosen, allValue: '.*' });
      for (const { datasource, targets } of panels) {
        expect(datasource).toEqual(chosen);
        for (const { expr } of targets) {
          const metrics = expr.match(/\b(?:(?:holdfast|nodejs|process)[_:][\w:]+|ALERTS)\b/g) ?? [];
          expect(expr.match(/\{namespace=~"\$namespace"[,}]/g)).toHaveLength(metrics.length);
          const used = [...expr.matchAll(variables)].map(([, name]) => name ?? '');
          expect(used.filter((name) => name !== 'namespace' && !ofGrafana.includes(name))).toEqual([]);
        }
      }
    }
  });

  it('have a legend for each series of a panel', () => {
    for (const { targets } of all.flatMap(({ panels }) => panels)) {
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const { expr, legendFormat } of targets) {
        const by = /^(?:sum|max|min|count|topk) by \(([\w, ]+)\)/.exec(expr)?.[1]?.split(', ') ?? [];
        for (const label of by.filter((one) => one !== 'le')) expect(legendFormat).toContain(`{{${label}}}`);
      }
    }
  });
});
