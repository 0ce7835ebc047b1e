import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { alerts, root } from './files.ts';

const folder = join(root, 'docs/runbooks');
const pages = readdirSync(folder).filter((file) => file !== 'README.md');
const sections = ['What it means', 'What users feel', 'How to look', 'How to mend', 'How to prevent'];

describe('the runbooks', () => {
  it('have a page for each alert, and no other', () => {
    expect(pages.toSorted()).toEqual(
      alerts()
        .map(({ alert }) => `${alert}.md`)
        .toSorted(),
    );
  });

  it('are linked from the alerts, which say how urgent they are', () => {
    for (const { alert, annotations, labels } of alerts()) {
      expect(annotations?.['runbook_url']).toBe(`docs/runbooks/${alert}.md`);
      expect(annotations?.['summary']).toEqual(expect.any(String));
      expect(['page', 'warn']).toContain(labels?.['severity']);
    }
  });

  it.each(pages)('%s says what it means, what users feel, how to look, mend and prevent', (file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text.split('\n')[0]).toBe(`# ${file.replace('.md', '')}`);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(sections);
    for (const part of text.split(/^## .*$/m).slice(1)) expect(part.trim().length).toBeGreaterThan(20);
  });

  it('are listed', () => {
    const list = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const page of pages) expect(list).toContain(`(${page})`);
  });
});
