// Original file: protos/tollgate/screening/v1/screening.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CheckReply as _tollgate_screening_v1_CheckReply, CheckReply__Output as _tollgate_screening_v1_CheckReply__Output } from '../../../tollgate/screening/v1/CheckReply';
import type { CheckRequest as _tollgate_screening_v1_CheckRequest, CheckRequest__Output as _tollgate_screening_v1_CheckRequest__Output } from '../../../tollgate/screening/v1/CheckRequest';
import type { CheckStreamReply as _tollgate_screening_v1_CheckStreamReply, CheckStreamReply__Output as _tollgate_screening_v1_CheckStreamReply__Output } from '../../../tollgate/screening/v1/CheckStreamReply';
import type { CheckStreamRequest as _tollgate_screening_v1_CheckStreamRequest, CheckStreamRequest__Output as _tollgate_screening_v1_CheckStreamRequest__Output } from '../../../tollgate/screening/v1/CheckStreamRequest';

/**
 * A service that judges texts for screening rules of the kinds EXTERNAL and PLUGIN. Written by operators; the edge is
 * its client. The same over HTTP: POST with these messages as JSON, field names in lower camel case.
 */
export interface ScreeningClient extends grpc.Client {
  /**
   * A status other than OK, or no reply within the rule's timeout, counts as no verdict.
   */
  Check(argument: _tollgate_screening_v1_CheckRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  Check(argument: _tollgate_screening_v1_CheckRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  Check(argument: _tollgate_screening_v1_CheckRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  Check(argument: _tollgate_screening_v1_CheckRequest, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  /**
   * A status other than OK, or no reply within the rule's timeout, counts as no verdict.
   */
  check(argument: _tollgate_screening_v1_CheckRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  check(argument: _tollgate_screening_v1_CheckRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  check(argument: _tollgate_screening_v1_CheckRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  check(argument: _tollgate_screening_v1_CheckRequest, callback: grpc.requestCallback<_tollgate_screening_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  
  /**
   * Judges a streamed answer piece by piece, one call for each answer and rule. Only services whose settings say
   * that they stream are called, and they implement Check as well. The edge closes its side after the last piece,
   * and cancels the call when the client leaves or the answer is refused.
   */
  CheckStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_screening_v1_CheckStreamRequest, _tollgate_screening_v1_CheckStreamReply__Output>;
  CheckStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_screening_v1_CheckStreamRequest, _tollgate_screening_v1_CheckStreamReply__Output>;
  /**
   * Judges a streamed answer piece by piece, one call for each answer and rule. Only services whose settings say
   * that they stream are called, and they implement Check as well. The edge closes its side after the last piece,
   * and cancels the call when the client leaves or the answer is refused.
   */
  checkStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_screening_v1_CheckStreamRequest, _tollgate_screening_v1_CheckStreamReply__Output>;
  checkStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_tollgate_screening_v1_CheckStreamRequest, _tollgate_screening_v1_CheckStreamReply__Output>;
  
}

/**
 * A service that judges texts for screening rules of the kinds EXTERNAL and PLUGIN. Written by operators; the edge is
 * its client. The same over HTTP: POST with these messages as JSON, field names in lower camel case.
 */
export interface ScreeningHandlers extends grpc.UntypedServiceImplementation {
  /**
   * A status other than OK, or no reply within the rule's timeout, counts as no verdict.
   */
  Check: grpc.handleUnaryCall<_tollgate_screening_v1_CheckRequest__Output, _tollgate_screening_v1_CheckReply>;
  
  /**
   * Judges a streamed answer piece by piece, one call for each answer and rule. Only services whose settings say
   * that they stream are called, and they implement Check as well. The edge closes its side after the last piece,
   * and cancels the call when the client leaves or the answer is refused.
   */
  CheckStream: grpc.handleBidiStreamingCall<_tollgate_screening_v1_CheckStreamRequest__Output, _tollgate_screening_v1_CheckStreamReply>;
  
}

export interface ScreeningDefinition extends grpc.ServiceDefinition {
  Check: MethodDefinition<_tollgate_screening_v1_CheckRequest, _tollgate_screening_v1_CheckReply, _tollgate_screening_v1_CheckRequest__Output, _tollgate_screening_v1_CheckReply__Output>
  CheckStream: MethodDefinition<_tollgate_screening_v1_CheckStreamRequest, _tollgate_screening_v1_CheckStreamReply, _tollgate_screening_v1_CheckStreamRequest__Output, _tollgate_screening_v1_CheckStreamReply__Output>
}
