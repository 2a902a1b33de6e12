// Which programs may be started, and with what environment.
export {
  CommandsFileError,
  environmentOf,
  readCommandsFile,
  type Command,
  type Commands,
} from './commands-file';
