import { fileReferenceFormat } from '@holdfast/domain/inputFiles';
import type { Formats } from './compile.ts';

/** Formats that are checked in a model's input. The others describe a value to people and clients. */
export const inputFormats: Formats = { file: (text) => fileReferenceFormat.test(text) };
