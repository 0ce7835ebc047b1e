import type { Place } from './words.ts';

/** A script for `source <(holdfast completion zsh)`, once compinit has run. */
export function zshScript(places: Place[]): string {
  const paths = places.map(({ at }) => at).filter((at) => at !== '');
  return `#compdef holdfast
# Completes the commands of holdfast: holdfast completion zsh
_holdfast() {
  local at= i
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }$words[i]" in
      (${paths.map(quoted).join('|')}) at="\${at:+$at }$words[i]" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${places.map(placeCase).join('\n')}
  esac
}
compdef _holdfast holdfast
`;
}

const quoted = (text: string) => `"${text}"`;

const placeCase = ({ at, words, flags }: Place) =>
  `    (${quoted(at)}) compadd -- ${[...words, ...flags.map(({ name }) => name)].join(' ')} ;;`;

function valueCases({ at, flags }: Place): string[] {
  return flags.flatMap(({ name, value }) => {
    if (value === 'none') return [];
    const given = { file: '_files; ', any: '' };
    const words = typeof value === 'string' ? given[value] : `compadd -- ${value.join(' ')}; `;
    return [`    (${quoted(`${at} ${name}`)}) ${words}return ;;`];
  });
}
