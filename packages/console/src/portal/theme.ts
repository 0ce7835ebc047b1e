import { type Color, contrast, parseColor } from '../../../domain/src/contrast.ts';
import type { PortalSession } from './session.tsx';

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

const lightPage = parseColor('#f0f3f6');
const darkPage = parseColor('#1b2530');
const css = ([red, green, blue]: Color) => `rgb(${red} ${green} ${blue})`;

/** The accent for both schemes, and what is written on it. */
export function accentColors(hex: string): { accent: string; onAccent: string } {
  const accent = parseColor(hex);
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
