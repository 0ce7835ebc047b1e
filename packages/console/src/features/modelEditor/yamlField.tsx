import { useEffect, useRef } from 'react';
import type { Schemas } from '../../api.ts';
import { openYamlEditor, type YamlEditor } from './yamlEditor.ts';

type Problems = readonly Schemas['ModelProblem'][];

/** The text with its problems in it. `editor` is set while it is shown; `text` is what it begins with. */
export function YamlField(props: {
  label: string;
  text: string;
  isReadOnly: boolean;
  problems: Problems;
  warnings: Problems;
  editor: { current: YamlEditor | null };
  onChange: (text: string) => void;
}) {
  const { label, text, isReadOnly, problems, warnings, editor, onChange } = props;
  const host = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor itself has the text from then on
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const opened = openYamlEditor({ root, text, label, isReadOnly, onChange });
    editor.current = opened;
    return () => {
      editor.current = null;
      opened.close();
    };
  }, [label, isReadOnly]);
  useEffect(() => editor.current?.mark(problems, warnings), [editor, problems, warnings]);
  return <div ref={host} className="h-[32rem] overflow-hidden rounded-b-lg lg:h-[calc(100vh-15rem)]" />;
}
