import { openPool } from './pool';

export default openPool;
