import { closePool } from './pool';

export default closePool;
