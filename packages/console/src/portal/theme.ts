import type { PortalSession } from './session.tsx';

type Color = readonly [number, number, number];

const parse = (hex: string): Color => {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};

/** Relative luminance, as WCAG defines it. */
function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Color, other: Color): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const white: Color = [255, 255, 255];
const black: Color = [0, 0, 0];

/** The accent, moved towards black or white until it can be read on the page. */
function readable(accent: Color, page: Color): Color {
  const towards = contrast(page, black) > contrast(page, white) ? black : white;
  for (let share = 0; share < 1; share += 0.05) {
    const mix = (at: 0 | 1 | 2) => Math.round(accent[at] * (1 - share) + towards[at] * share);
    const mixed: Color = [mix(0), mix(1), mix(2)];
    if (contrast(mixed, page) >= 4.5) return mixed;
  }
  return towards;
}

const lightPage = parse('#f0f3f6');
const darkPage = parse('#1b2530');
const css = ([red, green, blue]: Color) => `rgb(${red} ${green} ${blue})`;

/** The accent for both schemes, and what is written on it. */
export function accentColors(hex: string): { accent: string; onAccent: string } {
  const accent = parse(hex);
  const both = [readable(accent, lightPage), readable(accent, darkPage)];
  const on = (color: Color) => (contrast(color, white) >= contrast(color, black) ? white : black);
  const lightDark = (colors: Color[]) => `light-dark(${colors.map(css).join(', ')})`;
  return { accent: lightDark(both), onAccent: lightDark(both.map(on)) };
}

/** Sets properties of the page's style: the policy of the page allows no style in its markup. */
export function applyTheme({ theme }: PortalSession): void {
  const root = document.documentElement;
  if (theme.color_scheme !== 'auto') root.dataset['scheme'] = theme.color_scheme;
  if (theme.accent === null) return;
  const { accent, onAccent } = accentColors(theme.accent);
  root.style.setProperty('--accent', accent);
  root.style.setProperty('--on-accent', onAccent);
}
