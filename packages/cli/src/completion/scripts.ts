import type { Flag, Position } from './positions.ts';

const quoted = (text: string) => `"${text}"`;

/** A script for `source <(holdfast completion bash)`. */
function bashScript(positions: Position[]): string {
  const paths = positions.map(({ at }) => at).filter((at) => at !== '');
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
${positions.flatMap(bashValueCases).join('\n')}
  esac
  case "$at" in
${positions.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _holdfast holdfast
`;
}

const bashCase = ({ at, words, flags }: Position) =>
  `    ${quoted(at)}) words=${quoted([...words, ...flags.map(({ name }) => name)].join(' '))} ;;`;

function bashValueCases({ at, flags }: Position): string[] {
  return flags.flatMap(({ name, value }: Flag) => {
    if (value === 'none') return [];
    const given = { file: 'COMPREPLY=($(compgen -f -- "$cur")); ', any: '' };
    const words =
      typeof value === 'string' ? given[value] : `COMPREPLY=($(compgen -W "${value.join(' ')}" -- "$cur")); `;
    return [`    ${quoted(`${at} ${name}`)}) ${words}return ;;`];
  });
}

/** A script for `source <(holdfast completion zsh)`, once compinit has run. */
function zshScript(positions: Position[]): string {
  const paths = positions.map(({ at }) => at).filter((at) => at !== '');
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
${positions.flatMap(zshValueCases).join('\n')}
  esac
  case "$at" in
${positions.map(zshCase).join('\n')}
  esac
}
compdef _holdfast holdfast
`;
}

const zshCase = ({ at, words, flags }: Position) =>
  `    (${quoted(at)}) compadd -- ${[...words, ...flags.map(({ name }) => name)].join(' ')} ;;`;

function zshValueCases({ at, flags }: Position): string[] {
  return flags.flatMap(({ name, value }) => {
    if (value === 'none') return [];
    const given = { file: '_files; ', any: '' };
    const words = typeof value === 'string' ? given[value] : `compadd -- ${value.join(' ')}; `;
    return [`    (${quoted(`${at} ${name}`)}) ${words}return ;;`];
  });
}

/** A script for `holdfast completion fish | source`. */
function fishScript(positions: Position[]): string {
  const paths = positions.map(({ at }) => at).filter((at) => at !== '');
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
${positions.flatMap(fishLines).join('\n')}
`;
}

function fishLines({ at, words, flags }: Position): string[] {
  const here = `complete -c holdfast -n "__holdfast_at '${at}'"`;
  const leading = words.length === 0 ? [] : [`${here} -a '${words.join(' ')}'`];
  return [...leading, ...flags.map((flag) => `${here} -l ${flag.name.slice(2)}${fishValue(flag)}`)];
}

function fishValue({ value }: Flag): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  return value === 'any' ? ' -x' : ` -x -a '${value.join(' ')}'`;
}

export const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
