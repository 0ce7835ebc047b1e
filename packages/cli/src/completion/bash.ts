import type { Flag, Place } from './words.ts';

/** A script for `source <(holdfast completion bash)`. */
export function bashScript(places: Place[]): string {
  const paths = places.map(({ at }) => at).filter((at) => at !== '');
  return `# Completes the commands of holdfast: holdfast completion bash
_holdfast() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= i words=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      ${paths.map(quoted).join(' | ')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${places.map(placeCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _holdfast holdfast
`;
}

const quoted = (text: string) => `"${text}"`;

const placeCase = ({ at, words, flags }: Place) =>
  `    ${quoted(at)}) words=${quoted([...words, ...flags.map(({ name }) => name)].join(' '))} ;;`;

/** Behind a flag that takes a value stands that value. */
function valueCases({ at, flags }: Place): string[] {
  return flags.flatMap(({ name, value }: Flag) => {
    if (value === 'none') return [];
    const given = { file: 'COMPREPLY=($(compgen -f -- "$cur")); ', any: '' };
    const words =
      typeof value === 'string' ? given[value] : `COMPREPLY=($(compgen -W "${value.join(' ')}" -- "$cur")); `;
    return [`    ${quoted(`${at} ${name}`)}) ${words}return ;;`];
  });
}
