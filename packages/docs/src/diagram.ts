import { renderMermaidSVG } from 'beautiful-mermaid';

/** A diagram of a page, drawn once for each theme. */
export type Diagram = { light: string; dark: string };

// The font whose widths the library assumes comes first; the others are about as wide.
const fonts =
  "Inter, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";

const themes = {
  light: {
    bg: '#ffffff',
    fg: '#17202b',
    line: '#5f6b7a',
    accent: '#2a52be',
    muted: '#3f4b5c',
    surface: '#f6f8fc',
  },
  dark: {
    bg: '#0f141b',
    fg: '#e2e8f0',
    line: '#8e9bad',
    accent: '#8fb0ff',
    muted: '#c3ccd9',
    surface: '#1a222d',
  },
};

/** Draws Mermaid as SVG images: an image has its own styles, which the policy of a page would refuse inside it. */
export function drawDiagram(source: string): Diagram {
  const text = source.replaceAll(/<br\s*\/?>/g, ': ');
  const draw = (theme: (typeof themes)['light']) =>
    renderMermaidSVG(text, { ...theme, transparent: true, padding: 16, font: 'system-ui' })
      .replace(/@import url\([^)]*\);/, '')
      .replaceAll('stroke="var(--_inner-stroke)"', 'stroke="none"')
      .replace(/font-family: [^;]+;/, `font-family: ${fonts};`);
  return { light: draw(themes.light), dark: draw(themes.dark) };
}

/** The names in a diagram, for readers who cannot see it. */
export function diagramText(svg: string): string {
  const names = [...svg.matchAll(/<text[^>]*>([^]*?)<\/text>/g)].map(([, text = '']) =>
    text
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return [...new Set(names)].filter((name) => name !== '').join(', ');
}
