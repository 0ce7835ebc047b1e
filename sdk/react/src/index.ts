export { HoldfastProvider } from './provider.ts';
export { type ExecutionState, type UseExecutionOptions, useExecution } from './useExecution.ts';
