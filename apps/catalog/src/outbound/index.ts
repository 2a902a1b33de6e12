/** Connections to addresses that users name: checked when the socket is opened, bounded. */
export {
  CONNECTION_FAULTS,
  connectionFault,
  type ConnectionFault,
  type ConnectionFaultCode,
} from './connection-fault';
export { createGuardedAgent, ForbiddenAddress, type AgentLimits } from './guarded-agent';
