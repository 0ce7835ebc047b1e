import { createRequire } from 'node:module';
import { errorCodes } from '@holdfast/domain/errors';
import MarkdownIt from 'markdown-it';
import { diagramText, drawDiagram } from './diagram.ts';

// Its types would make those of browsers known to the whole tree.
const hljs = createRequire(import.meta.url)('highlight.js/lib/common') as {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string }): { value: string };
};

export type Heading = { level: number; text: string; anchor: string };

/** A part of a page that search can find: the text below one heading. */
export type Passage = { heading: string; anchor: string; text: string };

export type Rendered = { title: string; html: string; headings: Heading[]; passages: Passage[] };

/** Where links and images of a page lead. */
export type Surroundings = {
  /** The address of a link, or null if the site has no page for it. */
  link(href: string): string | null;
  /** The address of the page of an error code; null on that page itself. */
  errorPage(code: string): string | null;
  /** Keeps an image and returns its address. */
  keepImage(svg: string): string;
};

const languages: Record<string, string> = {
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  ruby: 'Ruby',
  php: 'PHP',
  java: 'Java',
  tsx: 'TypeScript',
  jsx: 'JavaScript',
  bash: 'Shell',
  sh: 'Shell',
  json: 'JSON',
  yaml: 'YAML',
  http: 'HTTP',
  sql: 'SQL',
};

/** Turns the Markdown of one page into HTML without any inline style or script. */
export function renderMarkdown(source: string, around: Surroundings): Rendered {
  const text = source.replaceAll(/<!--[^]*?-->/g, '');
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const headings: Heading[] = [];
  const escape = markdown.utils.escapeHtml;

  const rules = markdown.renderer.rules;
  rules.fence = (tokens, index) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    const language = info.trim().split(' ')[0] ?? '';
    if (language === 'mermaid') return diagramHtml(content, around, escape);
    const known = hljs.getLanguage(language);
    const code = known ? hljs.highlight(content, { language }).value : escape(content);
    const name = languages[language] ?? language;
    return `<div class="sample" data-language="${escape(name)}"><pre tabindex="0"><code>${code}</code></pre></div>\n`;
  };
  rules.code_inline = (tokens, index) => {
    const { content = '', meta } = tokens[index] ?? {};
    // A path breaks after a slash, where the line is too short for it.
    const code = `<code>${escape(content).replaceAll('/', '/<wbr>')}</code>`;
    const href = (meta as { href?: string } | null)?.href;
    return href ? `<a href="${href}">${code}</a>` : code;
  };
  // Error codes and alerts, of which titles are made, break between their words.
  rules.text = (tokens, index) =>
    escape(tokens[index]?.content ?? '').replace(longName, (name) =>
      name.replaceAll(/_|[a-z](?=[A-Z])/g, '$&<wbr>'),
    );
  rules.heading_close = (tokens, index) => {
    const { tag = '' } = tokens[index] ?? {};
    const anchor = tokens[index - 2]?.attrGet('id') ?? '';
    const link = `<a class="anchor" href="#${escape(String(anchor))}" tabindex="-1" aria-hidden="true"></a>`;
    return `${tag === 'h1' ? '' : link}</${tag}>\n`;
  };
  rules.table_open = (tokens, index) => {
    const size = tokens[index]?.meta?.['isWide'] ? 'table wide' : 'table';
    return `<div class="${size}" tabindex="0" role="group" aria-label="Table"><table>\n`;
  };
  rules.table_close = () => '</table></div>\n';

  const tokens = markdown.parse(text, {});
  labelCells(tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const inline = tokens[index + 1];
      const plain = plainText(inline?.content ?? '');
      const level = Number(token.tag.slice(1));
      const anchor = freeAnchor(anchorOf(plain), headings);
      headings.push({ level, text: plain, anchor });
      token.attrSet('id', anchor);
    }
    // The alignment of a column, which the parser gives as a style.
    if (token.attrGet('style') !== null)
      token.attrs = [
        ...(token.attrs ?? []).filter(([name]) => name !== 'style'),
        ['class', /right|center/.exec(String(token.attrGet('style')))?.[0] ?? 'left'],
      ];
    if (token.type === 'inline') resolveLinks(token.children ?? [], around);
  }
  const passages = passagesOf(tokens, headings);
  const title = headings.find(({ level }) => level === 1)?.text ?? '';
  return { title, html: markdown.renderer.render(tokens, markdown.options, {}), headings, passages };
}

function diagramHtml(source: string, around: Surroundings, escape: (text: string) => string): string {
  const diagram = drawDiagram(source);
  const alt = escape(`Diagram: ${diagramText(diagram.light)}`);
  const [, width = '600', height = '400'] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(diagram.light) ?? [];
  const size = `width="${Math.round(Number(width))}" height="${Math.round(Number(height))}"`;
  const image = (theme: 'light' | 'dark') =>
    `<img class="${theme}-only" src="${around.keepImage(diagram[theme])}" alt="${alt}" ${size} loading="lazy">`;
  return `<figure tabindex="0" role="group" aria-label="Diagram">${image('light')}${image('dark')}</figure>\n`;
}

const longName = /\b([A-Z]+_[A-Z_]+|Holdfast[A-Z]\w+)\b/g;

/** A longer name leaves no room for a second column on a phone. */
const maxName = 12;

const isWide = (cell: Token | undefined): boolean =>
  (cell?.children ?? []).some(
    ({ type, content }) =>
      type === 'code_inline' && content.split(/[\s/]/).some(({ length }) => length > maxName),
  );

/** Gives each cell the heading of its column, for narrow screens, where a row of a wide table becomes a list. */
function labelCells(tokens: Token[]): void {
  let table: Token | undefined;
  let labels: string[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'table_open') [table, labels] = [token, []];
    if (token.type === 'th_open') labels.push(plainText(tokens[index + 1]?.content ?? ''));
    if (token.type === 'tr_open') column = 0;
    if (token.type !== 'td_open') continue;
    const label = labels[column++] ?? '';
    if (label !== '') token.attrSet('data-label', label);
    if (table && (labels.length > 2 || isWide(tokens[index + 1]))) table.meta = { isWide: true };
  }
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

function resolveLinks(tokens: Token[], { link, errorPage }: Surroundings): void {
  const open: boolean[] = [];
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = link(String(token.attrGet('href') ?? ''));
      open.push(href !== null);
      if (href === null) {
        token.tag = 'span';
        token.attrs = [['class', 'source']];
      } else {
        token.attrSet('href', href);
        if (/^https?:/.test(href)) token.attrSet('rel', 'noopener noreferrer');
      }
    } else if (token.type === 'link_close' && open.pop() === false) {
      token.tag = 'span';
    } else if (
      token.type === 'code_inline' &&
      open.length === 0 &&
      Object.hasOwn(errorCodes, token.content)
    ) {
      token.meta = { href: errorPage(token.content) };
    }
  }
}

/** The text of each section, with the code in it. */
function passagesOf(tokens: Token[], headings: Heading[]): Passage[] {
  const passages: Passage[] = [];
  let next = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = headings[next++];
      if (heading)
        passages.push({ heading: heading.text, anchor: heading.level === 1 ? '' : heading.anchor, text: '' });
    } else if (tokens[index - 1]?.type !== 'heading_open' && ['inline', 'fence'].includes(token.type)) {
      const passage = passages.at(-1);
      if (passage && token.info !== 'mermaid') passage.text += `${plainText(token.content)} `;
    }
  }
  return passages;
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim();
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function freeAnchor(anchor: string, headings: Heading[]): string {
  const same = headings.filter((heading) => heading.anchor.replace(/-\d+$/, '') === anchor).length;
  return same === 0 ? anchor : `${anchor}-${same}`;
}
