/**
 * Errors for the person who runs the service: the message is one line, and says what failed, on what, and what to do.
 *
 * The command line prints the message and exits; any other error is a bug, and has a stack. Imports nothing: it also
 * runs where Node.js is too old for the rest (wire/no-binary.ts).
 */
export class OperatorError extends Error {}
