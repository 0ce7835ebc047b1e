import type { Flag, Place } from './words.ts';

/** A script for `holdfast completion fish | source`. */
export function fishScript(places: Place[]): string {
  const paths = places.map(({ at }) => at).filter((at) => at !== '');
  return `# Completes the commands of holdfast: holdfast completion fish
function __holdfast_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch (string trim -- "$at $word")
            case ${paths.map((at) => `'${at}'`).join(' ')}
                set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end
complete -c holdfast -f
${places.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ at, words, flags }: Place): string[] {
  const here = `complete -c holdfast -n "__holdfast_at '${at}'"`;
  const leading = words.length === 0 ? [] : [`${here} -a '${words.join(' ')}'`];
  return [...leading, ...flags.map((flag) => `${here} -l ${flag.name.slice(2)}${valueOf(flag)}`)];
}

function valueOf({ value }: Flag): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  return value === 'any' ? ' -x' : ` -x -a '${value.join(' ')}'`;
}
