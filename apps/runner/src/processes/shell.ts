/** The POSIX shell; its scripts here are fixed texts, which never contain a setting or an argument. */
export const SHELL = '/bin/sh';
