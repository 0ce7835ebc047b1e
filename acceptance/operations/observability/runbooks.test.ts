import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { alerts, root } from './files.ts';

const folder = join(root, 'docs/operate/alerts');
const pages = readdirSync(folder).filter((file) => !['README.md', 'doctor.md'].includes(file));
const texts = [...pages, 'doctor.md'].map((page) => readFileSync(join(folder, page), 'utf8')).join('\n');
const sections = ['What it means', 'What users notice', 'How to investigate', 'How to fix', 'How to prevent'];

/** Every source file of a folder of packages, without generated ones. */
const sourcesOf = (part: string) =>
  readdirSync(part).flatMap((one) =>
    readdirSync(join(part, one, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^generated/.test(file))
      .map((file) => readFileSync(join(part, one, 'src', file), 'utf8')),
  );

/** What the runbooks quote besides log messages: commands, and errors of PostgreSQL. */
const isForeign =
  /^(docker|helm|holdfast|kubectl|models|npm|timedatectl) |^(permission denied|password authentication failed)$/;

describe('the runbooks', () => {
  it('have a page for each alert, and no other', () => {
    expect(pages.toSorted()).toEqual(
      alerts()
        .map(({ alert }) => `${alert}.md`)
        .toSorted(),
    );
  });

  it('are linked from the alerts, which have a severity', () => {
    for (const { alert, annotations, labels } of alerts()) {
      expect(annotations?.['runbook_url']).toBe(`docs/operate/alerts/${alert}.md`);
      expect(annotations?.['summary']).toEqual(expect.any(String));
      expect(['page', 'warn']).toContain(labels?.['severity']);
    }
  });

  it.each(pages)('%s has its five sections', (file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text.split('\n')[0]).toBe(`# ${file.replace('.md', '')}`);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(sections);
    for (const part of text.split(/^## .*$/m).slice(1)) expect(part.trim().length).toBeGreaterThan(20);
  });

  it('name commands and flags that the command holdfast has', () => {
    const help = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const commands = [...help.matchAll(/^### (.+)$/gm)].map(([, name]) => name ?? '');
    const named = [...texts.matchAll(/`holdfast ([^`]+)`/g)].map(([, words = '']) => words);
    expect(named.length).toBeGreaterThan(20);
    for (const words of named) {
      expect(commands.filter((command) => `${words} `.startsWith(`${command} `))).not.toEqual([]);
      for (const flag of words.match(/--\w+/g) ?? []) expect(help).toContain(flag);
    }
  });

  it('name existing alerts and existing log messages of the services', () => {
    const linked = [...texts.matchAll(/\]\((Holdfast\w+\.md)\)/g)].map(([, page]) => page);
    expect(pages).toEqual(expect.arrayContaining(linked));
    const said = [...texts.matchAll(/`([a-z]+(?: [a-z]+)+)`/g)].filter(
      ([, line = '']) => !isForeign.test(line),
    );
    const sources = ['packages', 'services']
      .map((part) => join(root, part))
      .flatMap(sourcesOf)
      .join('\n');
    expect(said.length).toBeGreaterThan(8);
    const unsaid = said.filter(([, line]) => !sources.includes(`'${line}`)).map(([, line]) => line);
    expect(unsaid).toEqual([]);
  });

  it('are listed', () => {
    const list = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const page of pages) expect(list).toContain(`(${page})`);
  });
});
