import { brandColor } from '@holdfast/kit/brand';
import { renderMermaidSVG } from 'beautiful-mermaid';

/** A diagram of a page, drawn once for each theme. */
export type Diagram = { light: string; dark: string };

// The font whose widths the library assumes comes first; the others are about as wide.
const fonts =
  "Inter, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";

function themeOf(scheme: 'light' | 'dark') {
  const color = (name: string) => brandColor(name, scheme);
  const [fg, soft] = [color('ink'), color('soft')];
  return {
    bg: color('card'),
    fg,
    line: soft,
    accent: color('accent'),
    muted: soft,
    surface: color('page'),
    transparent: true,
    padding: 16,
    font: 'system-ui',
  };
}

/** Draws Mermaid as SVG images: an image has its own styles, which the policy of a page would refuse inside it. */
export function drawDiagram(source: string): Diagram {
  const text = source.replaceAll(/<br\s*\/?>/g, ': ');
  const draw = (scheme: 'light' | 'dark') =>
    renderMermaidSVG(text, themeOf(scheme))
      .replace(/@import url\([^)]*\);/, '')
      .replaceAll('stroke="var(--_inner-stroke)"', 'stroke="none"')
      .replace(/font-family: [^;]+;/, `font-family: ${fonts};`);
  return { light: draw('light'), dark: draw('dark') };
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
