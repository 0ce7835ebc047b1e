/** A line of a chart, on the left axis or the right one. */
export type Line = { name: string; points: readonly [number, number][]; color: string; isRight?: boolean };

export type Axis = {
  label: string;
  from: number;
  to: number;
  /** Where it is marked. */
  ticks: readonly number[];
  isLog?: boolean;
  show?(value: number): string;
};

const size = { width: 760, height: 416 };
const plot = { left: 78, right: 690, top: 62, bottom: 330 };

/** A line chart as an SVG of its own, readable on a light and on a dark page. */
export function chart(args: {
  title: string;
  note: string;
  x: Axis;
  left: Axis;
  right?: Axis;
  lines: readonly Line[];
}): string {
  const { title, note, x, left, right, lines } = args;
  const toX = scale(x, plot.left, plot.right);
  const toLeft = scale(left, plot.bottom, plot.top);
  const toRight = right ? scale(right, plot.bottom, plot.top) : toLeft;
  const body = [
    text(plot.left, 26, title, 'title'),
    text(plot.left, 46, note, 'note'),
    ...left.ticks.map((tick) => gridLine(toLeft(tick))),
    ...left.ticks.map((tick) => text(plot.left - 8, toLeft(tick) + 4, shown(left, tick), 'end')),
    ...(right?.ticks ?? []).map((tick) =>
      text(plot.right + 8, toRight(tick) + 4, right ? shown(right, tick) : '', ''),
    ),
    ...x.ticks.map((tick) => text(toX(tick), plot.bottom + 20, shown(x, tick), 'middle')),
    text((plot.left + plot.right) / 2, plot.bottom + 42, x.label, 'middle'),
    turned(20, left.label),
    ...(right ? [turned(size.width - 12, right.label)] : []),
    ...lines.map((line) => path(line, toX, line.isRight ? toRight : toLeft)),
    ...lines.map((line, nth) => legend(line, nth)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${title}">
<style>${style}</style>
<rect width="100%" height="100%" rx="8" class="page"/>
${body.join('\n')}
</svg>
`;
}

const style = `
text { font: 12px system-ui, sans-serif; fill: #57606a; }
.title { font-size: 15px; font-weight: 600; fill: #1f2328; }
.note { font-size: 11px; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: #d0d7de; stroke-width: 1; }
.page { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; } .title { fill: #f0f6fc; } .grid { stroke: #3d444d; } .page { fill: #0d1117; }
}`;

function scale({ from, to, isLog = false }: Axis, start: number, end: number): (value: number) => number {
  const of = (value: number) => (isLog ? Math.log(value) : value);
  return (value) => {
    const share = (of(Math.min(Math.max(value, from), to)) - of(from)) / (of(to) - of(from));
    return Number((start + share * (end - start)).toFixed(1));
  };
}

const shown = ({ show = String }: Axis, value: number) => show(value);

function text(x: number, y: number, content: string, className: string): string {
  return `<text x="${x}" y="${y}" class="${className}">${content}</text>`;
}

function turned(x: number, content: string): string {
  const y = (plot.top + plot.bottom) / 2;
  return `<text x="${x}" y="${y}" class="middle" transform="rotate(-90 ${x} ${y})">${content}</text>`;
}

function gridLine(y: number): string {
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}" class="grid"/>`;
}

function path(
  { points, color }: Line,
  toX: (value: number) => number,
  toY: (value: number) => number,
): string {
  const steps = points.map(([x, y], nth) => `${nth === 0 ? 'M' : 'L'}${toX(x)} ${toY(y)}`);
  return `<path d="${steps.join('')}" fill="none" stroke="${color}" stroke-width="2.5" stroke-linejoin="round"/>`;
}

function legend({ name, color }: Line, nth: number): string {
  const x = plot.left + nth * 166;
  const y = size.height - 10;
  return `<rect x="${x}" y="${y - 9}" width="18" height="4" rx="2" fill="${color}"/>${text(x + 24, y - 3, name, '')}`;
}
