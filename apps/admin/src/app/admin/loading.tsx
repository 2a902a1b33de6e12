export { default } from '../[organisation]/loading';
