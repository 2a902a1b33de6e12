import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AliasEntry as _tollgate_catalog_v1_AliasEntry, AliasEntry__Output as _tollgate_catalog_v1_AliasEntry__Output } from './tollgate/catalog/v1/AliasEntry';
import type { AliasTarget as _tollgate_catalog_v1_AliasTarget, AliasTarget__Output as _tollgate_catalog_v1_AliasTarget__Output } from './tollgate/catalog/v1/AliasTarget';
import type { AllowedRegions as _tollgate_catalog_v1_AllowedRegions, AllowedRegions__Output as _tollgate_catalog_v1_AllowedRegions__Output } from './tollgate/catalog/v1/AllowedRegions';
import type { Connection as _tollgate_catalog_v1_Connection, Connection__Output as _tollgate_catalog_v1_Connection__Output } from './tollgate/catalog/v1/Connection';
import type { DirectoryClient as _tollgate_catalog_v1_DirectoryClient, DirectoryDefinition as _tollgate_catalog_v1_DirectoryDefinition } from './tollgate/catalog/v1/Directory';
import type { ExperimentArmEntry as _tollgate_catalog_v1_ExperimentArmEntry, ExperimentArmEntry__Output as _tollgate_catalog_v1_ExperimentArmEntry__Output } from './tollgate/catalog/v1/ExperimentArmEntry';
import type { ExperimentEntry as _tollgate_catalog_v1_ExperimentEntry, ExperimentEntry__Output as _tollgate_catalog_v1_ExperimentEntry__Output } from './tollgate/catalog/v1/ExperimentEntry';
import type { ExperimentShadow as _tollgate_catalog_v1_ExperimentShadow, ExperimentShadow__Output as _tollgate_catalog_v1_ExperimentShadow__Output } from './tollgate/catalog/v1/ExperimentShadow';
import type { GetConnectionRequest as _tollgate_catalog_v1_GetConnectionRequest, GetConnectionRequest__Output as _tollgate_catalog_v1_GetConnectionRequest__Output } from './tollgate/catalog/v1/GetConnectionRequest';
import type { GetMcpConnectionRequest as _tollgate_catalog_v1_GetMcpConnectionRequest, GetMcpConnectionRequest__Output as _tollgate_catalog_v1_GetMcpConnectionRequest__Output } from './tollgate/catalog/v1/GetMcpConnectionRequest';
import type { GetMcpSignInRequest as _tollgate_catalog_v1_GetMcpSignInRequest, GetMcpSignInRequest__Output as _tollgate_catalog_v1_GetMcpSignInRequest__Output } from './tollgate/catalog/v1/GetMcpSignInRequest';
import type { GetScreeningPolicyRequest as _tollgate_catalog_v1_GetScreeningPolicyRequest, GetScreeningPolicyRequest__Output as _tollgate_catalog_v1_GetScreeningPolicyRequest__Output } from './tollgate/catalog/v1/GetScreeningPolicyRequest';
import type { Invalidation as _tollgate_catalog_v1_Invalidation, Invalidation__Output as _tollgate_catalog_v1_Invalidation__Output } from './tollgate/catalog/v1/Invalidation';
import type { KeyContext as _tollgate_catalog_v1_KeyContext, KeyContext__Output as _tollgate_catalog_v1_KeyContext__Output } from './tollgate/catalog/v1/KeyContext';
import type { Limit as _tollgate_catalog_v1_Limit, Limit__Output as _tollgate_catalog_v1_Limit__Output } from './tollgate/catalog/v1/Limit';
import type { McpAuth as _tollgate_catalog_v1_McpAuth, McpAuth__Output as _tollgate_catalog_v1_McpAuth__Output } from './tollgate/catalog/v1/McpAuth';
import type { McpConnection as _tollgate_catalog_v1_McpConnection, McpConnection__Output as _tollgate_catalog_v1_McpConnection__Output } from './tollgate/catalog/v1/McpConnection';
import type { McpGrant as _tollgate_catalog_v1_McpGrant, McpGrant__Output as _tollgate_catalog_v1_McpGrant__Output } from './tollgate/catalog/v1/McpGrant';
import type { McpServerEntry as _tollgate_catalog_v1_McpServerEntry, McpServerEntry__Output as _tollgate_catalog_v1_McpServerEntry__Output } from './tollgate/catalog/v1/McpServerEntry';
import type { McpSignIn as _tollgate_catalog_v1_McpSignIn, McpSignIn__Output as _tollgate_catalog_v1_McpSignIn__Output } from './tollgate/catalog/v1/McpSignIn';
import type { McpSignInRule as _tollgate_catalog_v1_McpSignInRule, McpSignInRule__Output as _tollgate_catalog_v1_McpSignInRule__Output } from './tollgate/catalog/v1/McpSignInRule';
import type { ModelEntry as _tollgate_catalog_v1_ModelEntry, ModelEntry__Output as _tollgate_catalog_v1_ModelEntry__Output } from './tollgate/catalog/v1/ModelEntry';
import type { ModelGrant as _tollgate_catalog_v1_ModelGrant, ModelGrant__Output as _tollgate_catalog_v1_ModelGrant__Output } from './tollgate/catalog/v1/ModelGrant';
import type { ModelRetirement as _tollgate_catalog_v1_ModelRetirement, ModelRetirement__Output as _tollgate_catalog_v1_ModelRetirement__Output } from './tollgate/catalog/v1/ModelRetirement';
import type { OrganisationContext as _tollgate_catalog_v1_OrganisationContext, OrganisationContext__Output as _tollgate_catalog_v1_OrganisationContext__Output } from './tollgate/catalog/v1/OrganisationContext';
import type { PassthroughProvider as _tollgate_catalog_v1_PassthroughProvider, PassthroughProvider__Output as _tollgate_catalog_v1_PassthroughProvider__Output } from './tollgate/catalog/v1/PassthroughProvider';
import type { ResolveKeyReply as _tollgate_catalog_v1_ResolveKeyReply, ResolveKeyReply__Output as _tollgate_catalog_v1_ResolveKeyReply__Output } from './tollgate/catalog/v1/ResolveKeyReply';
import type { ResolveKeyRequest as _tollgate_catalog_v1_ResolveKeyRequest, ResolveKeyRequest__Output as _tollgate_catalog_v1_ResolveKeyRequest__Output } from './tollgate/catalog/v1/ResolveKeyRequest';
import type { ResolveKeysReply as _tollgate_catalog_v1_ResolveKeysReply, ResolveKeysReply__Output as _tollgate_catalog_v1_ResolveKeysReply__Output } from './tollgate/catalog/v1/ResolveKeysReply';
import type { ResolveKeysRequest as _tollgate_catalog_v1_ResolveKeysRequest, ResolveKeysRequest__Output as _tollgate_catalog_v1_ResolveKeysRequest__Output } from './tollgate/catalog/v1/ResolveKeysRequest';
import type { ResolvedKey as _tollgate_catalog_v1_ResolvedKey, ResolvedKey__Output as _tollgate_catalog_v1_ResolvedKey__Output } from './tollgate/catalog/v1/ResolvedKey';
import type { RoutingCandidate as _tollgate_catalog_v1_RoutingCandidate, RoutingCandidate__Output as _tollgate_catalog_v1_RoutingCandidate__Output } from './tollgate/catalog/v1/RoutingCandidate';
import type { RoutingPolicy as _tollgate_catalog_v1_RoutingPolicy, RoutingPolicy__Output as _tollgate_catalog_v1_RoutingPolicy__Output } from './tollgate/catalog/v1/RoutingPolicy';
import type { ScreeningAttachment as _tollgate_catalog_v1_ScreeningAttachment, ScreeningAttachment__Output as _tollgate_catalog_v1_ScreeningAttachment__Output } from './tollgate/catalog/v1/ScreeningAttachment';
import type { ScreeningEntry as _tollgate_catalog_v1_ScreeningEntry, ScreeningEntry__Output as _tollgate_catalog_v1_ScreeningEntry__Output } from './tollgate/catalog/v1/ScreeningEntry';
import type { ScreeningPolicy as _tollgate_catalog_v1_ScreeningPolicy, ScreeningPolicy__Output as _tollgate_catalog_v1_ScreeningPolicy__Output } from './tollgate/catalog/v1/ScreeningPolicy';
import type { ScreeningService as _tollgate_catalog_v1_ScreeningService, ScreeningService__Output as _tollgate_catalog_v1_ScreeningService__Output } from './tollgate/catalog/v1/ScreeningService';
import type { ScreeningServicePlace as _tollgate_catalog_v1_ScreeningServicePlace, ScreeningServicePlace__Output as _tollgate_catalog_v1_ScreeningServicePlace__Output } from './tollgate/catalog/v1/ScreeningServicePlace';
import type { SealedSecret as _tollgate_catalog_v1_SealedSecret, SealedSecret__Output as _tollgate_catalog_v1_SealedSecret__Output } from './tollgate/catalog/v1/SealedSecret';
import type { ValueLimit as _tollgate_catalog_v1_ValueLimit, ValueLimit__Output as _tollgate_catalog_v1_ValueLimit__Output } from './tollgate/catalog/v1/ValueLimit';
import type { WatchInvalidationsRequest as _tollgate_catalog_v1_WatchInvalidationsRequest, WatchInvalidationsRequest__Output as _tollgate_catalog_v1_WatchInvalidationsRequest__Output } from './tollgate/catalog/v1/WatchInvalidationsRequest';
import type { Allow as _tollgate_policy_v1_Allow, Allow__Output as _tollgate_policy_v1_Allow__Output } from './tollgate/policy/v1/Allow';
import type { Attempt as _tollgate_policy_v1_Attempt, Attempt__Output as _tollgate_policy_v1_Attempt__Output } from './tollgate/policy/v1/Attempt';
import type { AttemptReport as _tollgate_policy_v1_AttemptReport, AttemptReport__Output as _tollgate_policy_v1_AttemptReport__Output } from './tollgate/policy/v1/AttemptReport';
import type { AttemptTimeouts as _tollgate_policy_v1_AttemptTimeouts, AttemptTimeouts__Output as _tollgate_policy_v1_AttemptTimeouts__Output } from './tollgate/policy/v1/AttemptTimeouts';
import type { Attribution as _tollgate_policy_v1_Attribution, Attribution__Output as _tollgate_policy_v1_Attribution__Output } from './tollgate/policy/v1/Attribution';
import type { AuthorizeReply as _tollgate_policy_v1_AuthorizeReply, AuthorizeReply__Output as _tollgate_policy_v1_AuthorizeReply__Output } from './tollgate/policy/v1/AuthorizeReply';
import type { AuthorizeRequest as _tollgate_policy_v1_AuthorizeRequest, AuthorizeRequest__Output as _tollgate_policy_v1_AuthorizeRequest__Output } from './tollgate/policy/v1/AuthorizeRequest';
import type { BookedMark as _tollgate_policy_v1_BookedMark, BookedMark__Output as _tollgate_policy_v1_BookedMark__Output } from './tollgate/policy/v1/BookedMark';
import type { Candidate as _tollgate_policy_v1_Candidate, Candidate__Output as _tollgate_policy_v1_Candidate__Output } from './tollgate/policy/v1/Candidate';
import type { ClaimedAttribution as _tollgate_policy_v1_ClaimedAttribution, ClaimedAttribution__Output as _tollgate_policy_v1_ClaimedAttribution__Output } from './tollgate/policy/v1/ClaimedAttribution';
import type { ConfirmKeyReply as _tollgate_policy_v1_ConfirmKeyReply, ConfirmKeyReply__Output as _tollgate_policy_v1_ConfirmKeyReply__Output } from './tollgate/policy/v1/ConfirmKeyReply';
import type { ConfirmKeyRequest as _tollgate_policy_v1_ConfirmKeyRequest, ConfirmKeyRequest__Output as _tollgate_policy_v1_ConfirmKeyRequest__Output } from './tollgate/policy/v1/ConfirmKeyRequest';
import type { Denial as _tollgate_policy_v1_Denial, Denial__Output as _tollgate_policy_v1_Denial__Output } from './tollgate/policy/v1/Denial';
import type { DependencyHealth as _tollgate_policy_v1_DependencyHealth, DependencyHealth__Output as _tollgate_policy_v1_DependencyHealth__Output } from './tollgate/policy/v1/DependencyHealth';
import type { DryRunCheck as _tollgate_policy_v1_DryRunCheck, DryRunCheck__Output as _tollgate_policy_v1_DryRunCheck__Output } from './tollgate/policy/v1/DryRunCheck';
import type { DryRunHold as _tollgate_policy_v1_DryRunHold, DryRunHold__Output as _tollgate_policy_v1_DryRunHold__Output } from './tollgate/policy/v1/DryRunHold';
import type { DryRunLimit as _tollgate_policy_v1_DryRunLimit, DryRunLimit__Output as _tollgate_policy_v1_DryRunLimit__Output } from './tollgate/policy/v1/DryRunLimit';
import type { DryRunReply as _tollgate_policy_v1_DryRunReply, DryRunReply__Output as _tollgate_policy_v1_DryRunReply__Output } from './tollgate/policy/v1/DryRunReply';
import type { ExperimentArm as _tollgate_policy_v1_ExperimentArm, ExperimentArm__Output as _tollgate_policy_v1_ExperimentArm__Output } from './tollgate/policy/v1/ExperimentArm';
import type { ExtendReply as _tollgate_policy_v1_ExtendReply, ExtendReply__Output as _tollgate_policy_v1_ExtendReply__Output } from './tollgate/policy/v1/ExtendReply';
import type { ExtendRequest as _tollgate_policy_v1_ExtendRequest, ExtendRequest__Output as _tollgate_policy_v1_ExtendRequest__Output } from './tollgate/policy/v1/ExtendRequest';
import type { GrantedModel as _tollgate_policy_v1_GrantedModel, GrantedModel__Output as _tollgate_policy_v1_GrantedModel__Output } from './tollgate/policy/v1/GrantedModel';
import type { HealthReply as _tollgate_policy_v1_HealthReply, HealthReply__Output as _tollgate_policy_v1_HealthReply__Output } from './tollgate/policy/v1/HealthReply';
import type { HealthRequest as _tollgate_policy_v1_HealthRequest, HealthRequest__Output as _tollgate_policy_v1_HealthRequest__Output } from './tollgate/policy/v1/HealthRequest';
import type { InvalidateReply as _tollgate_policy_v1_InvalidateReply, InvalidateReply__Output as _tollgate_policy_v1_InvalidateReply__Output } from './tollgate/policy/v1/InvalidateReply';
import type { InvalidateRequest as _tollgate_policy_v1_InvalidateRequest, InvalidateRequest__Output as _tollgate_policy_v1_InvalidateRequest__Output } from './tollgate/policy/v1/InvalidateRequest';
import type { KeptBodies as _tollgate_policy_v1_KeptBodies, KeptBodies__Output as _tollgate_policy_v1_KeptBodies__Output } from './tollgate/policy/v1/KeptBodies';
import type { LeftOut as _tollgate_policy_v1_LeftOut, LeftOut__Output as _tollgate_policy_v1_LeftOut__Output } from './tollgate/policy/v1/LeftOut';
import type { LimitState as _tollgate_policy_v1_LimitState, LimitState__Output as _tollgate_policy_v1_LimitState__Output } from './tollgate/policy/v1/LimitState';
import type { McpCall as _tollgate_policy_v1_McpCall, McpCall__Output as _tollgate_policy_v1_McpCall__Output } from './tollgate/policy/v1/McpCall';
import type { McpResult as _tollgate_policy_v1_McpResult, McpResult__Output as _tollgate_policy_v1_McpResult__Output } from './tollgate/policy/v1/McpResult';
import type { McpRules as _tollgate_policy_v1_McpRules, McpRules__Output as _tollgate_policy_v1_McpRules__Output } from './tollgate/policy/v1/McpRules';
import type { McpTarget as _tollgate_policy_v1_McpTarget, McpTarget__Output as _tollgate_policy_v1_McpTarget__Output } from './tollgate/policy/v1/McpTarget';
import type { McpToolPin as _tollgate_policy_v1_McpToolPin, McpToolPin__Output as _tollgate_policy_v1_McpToolPin__Output } from './tollgate/policy/v1/McpToolPin';
import type { NameRules as _tollgate_policy_v1_NameRules, NameRules__Output as _tollgate_policy_v1_NameRules__Output } from './tollgate/policy/v1/NameRules';
import type { PassthroughCall as _tollgate_policy_v1_PassthroughCall, PassthroughCall__Output as _tollgate_policy_v1_PassthroughCall__Output } from './tollgate/policy/v1/PassthroughCall';
import type { PassthroughRule as _tollgate_policy_v1_PassthroughRule, PassthroughRule__Output as _tollgate_policy_v1_PassthroughRule__Output } from './tollgate/policy/v1/PassthroughRule';
import type { PassthroughTarget as _tollgate_policy_v1_PassthroughTarget, PassthroughTarget__Output as _tollgate_policy_v1_PassthroughTarget__Output } from './tollgate/policy/v1/PassthroughTarget';
import type { PendingResponse as _tollgate_policy_v1_PendingResponse, PendingResponse__Output as _tollgate_policy_v1_PendingResponse__Output } from './tollgate/policy/v1/PendingResponse';
import type { PolicyServiceClient as _tollgate_policy_v1_PolicyServiceClient, PolicyServiceDefinition as _tollgate_policy_v1_PolicyServiceDefinition } from './tollgate/policy/v1/PolicyService';
import type { Price as _tollgate_policy_v1_Price, Price__Output as _tollgate_policy_v1_Price__Output } from './tollgate/policy/v1/Price';
import type { PriceStep as _tollgate_policy_v1_PriceStep, PriceStep__Output as _tollgate_policy_v1_PriceStep__Output } from './tollgate/policy/v1/PriceStep';
import type { RefusalReport as _tollgate_policy_v1_RefusalReport, RefusalReport__Output as _tollgate_policy_v1_RefusalReport__Output } from './tollgate/policy/v1/RefusalReport';
import type { ResponseCache as _tollgate_policy_v1_ResponseCache, ResponseCache__Output as _tollgate_policy_v1_ResponseCache__Output } from './tollgate/policy/v1/ResponseCache';
import type { Retirement as _tollgate_policy_v1_Retirement, Retirement__Output as _tollgate_policy_v1_Retirement__Output } from './tollgate/policy/v1/Retirement';
import type { Routing as _tollgate_policy_v1_Routing, Routing__Output as _tollgate_policy_v1_Routing__Output } from './tollgate/policy/v1/Routing';
import type { ScreeningRef as _tollgate_policy_v1_ScreeningRef, ScreeningRef__Output as _tollgate_policy_v1_ScreeningRef__Output } from './tollgate/policy/v1/ScreeningRef';
import type { ServerTool as _tollgate_policy_v1_ServerTool, ServerTool__Output as _tollgate_policy_v1_ServerTool__Output } from './tollgate/policy/v1/ServerTool';
import type { ServiceTier as _tollgate_policy_v1_ServiceTier, ServiceTier__Output as _tollgate_policy_v1_ServiceTier__Output } from './tollgate/policy/v1/ServiceTier';
import type { SessionFailure as _tollgate_policy_v1_SessionFailure, SessionFailure__Output as _tollgate_policy_v1_SessionFailure__Output } from './tollgate/policy/v1/SessionFailure';
import type { SessionItem as _tollgate_policy_v1_SessionItem, SessionItem__Output as _tollgate_policy_v1_SessionItem__Output } from './tollgate/policy/v1/SessionItem';
import type { SessionReply as _tollgate_policy_v1_SessionReply, SessionReply__Output as _tollgate_policy_v1_SessionReply__Output } from './tollgate/policy/v1/SessionReply';
import type { SessionRequest as _tollgate_policy_v1_SessionRequest, SessionRequest__Output as _tollgate_policy_v1_SessionRequest__Output } from './tollgate/policy/v1/SessionRequest';
import type { SessionResult as _tollgate_policy_v1_SessionResult, SessionResult__Output as _tollgate_policy_v1_SessionResult__Output } from './tollgate/policy/v1/SessionResult';
import type { SettleReply as _tollgate_policy_v1_SettleReply, SettleReply__Output as _tollgate_policy_v1_SettleReply__Output } from './tollgate/policy/v1/SettleReply';
import type { SettleRequest as _tollgate_policy_v1_SettleRequest, SettleRequest__Output as _tollgate_policy_v1_SettleRequest__Output } from './tollgate/policy/v1/SettleRequest';
import type { Shadow as _tollgate_policy_v1_Shadow, Shadow__Output as _tollgate_policy_v1_Shadow__Output } from './tollgate/policy/v1/Shadow';
import type { SharedPart as _tollgate_policy_v1_SharedPart, SharedPart__Output as _tollgate_policy_v1_SharedPart__Output } from './tollgate/policy/v1/SharedPart';
import type { Subject as _tollgate_policy_v1_Subject, Subject__Output as _tollgate_policy_v1_Subject__Output } from './tollgate/policy/v1/Subject';
import type { TokenUsage as _tollgate_policy_v1_TokenUsage, TokenUsage__Output as _tollgate_policy_v1_TokenUsage__Output } from './tollgate/policy/v1/TokenUsage';
import type { ValidateKeyReply as _tollgate_policy_v1_ValidateKeyReply, ValidateKeyReply__Output as _tollgate_policy_v1_ValidateKeyReply__Output } from './tollgate/policy/v1/ValidateKeyReply';
import type { ValidateKeyRequest as _tollgate_policy_v1_ValidateKeyRequest, ValidateKeyRequest__Output as _tollgate_policy_v1_ValidateKeyRequest__Output } from './tollgate/policy/v1/ValidateKeyRequest';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  tollgate: {
    catalog: {
      v1: {
        AliasEntry: MessageTypeDefinition<_tollgate_catalog_v1_AliasEntry, _tollgate_catalog_v1_AliasEntry__Output>
        AliasTarget: MessageTypeDefinition<_tollgate_catalog_v1_AliasTarget, _tollgate_catalog_v1_AliasTarget__Output>
        AllowedRegions: MessageTypeDefinition<_tollgate_catalog_v1_AllowedRegions, _tollgate_catalog_v1_AllowedRegions__Output>
        Connection: MessageTypeDefinition<_tollgate_catalog_v1_Connection, _tollgate_catalog_v1_Connection__Output>
        /**
         * What the data plane knows about organisations, keys, models, limits and connections.
         * Called by policy (contexts, invalidations), by the edge (GetConnection, GetMcpConnection, GetMcpSignIn,
         * GetScreeningPolicy) and by the runner (GetMcpConnection).
         */
        Directory: SubtypeConstructor<typeof grpc.Client, _tollgate_catalog_v1_DirectoryClient> & { service: _tollgate_catalog_v1_DirectoryDefinition }
        ExperimentArmEntry: MessageTypeDefinition<_tollgate_catalog_v1_ExperimentArmEntry, _tollgate_catalog_v1_ExperimentArmEntry__Output>
        ExperimentEntry: MessageTypeDefinition<_tollgate_catalog_v1_ExperimentEntry, _tollgate_catalog_v1_ExperimentEntry__Output>
        ExperimentShadow: MessageTypeDefinition<_tollgate_catalog_v1_ExperimentShadow, _tollgate_catalog_v1_ExperimentShadow__Output>
        GetConnectionRequest: MessageTypeDefinition<_tollgate_catalog_v1_GetConnectionRequest, _tollgate_catalog_v1_GetConnectionRequest__Output>
        GetMcpConnectionRequest: MessageTypeDefinition<_tollgate_catalog_v1_GetMcpConnectionRequest, _tollgate_catalog_v1_GetMcpConnectionRequest__Output>
        GetMcpSignInRequest: MessageTypeDefinition<_tollgate_catalog_v1_GetMcpSignInRequest, _tollgate_catalog_v1_GetMcpSignInRequest__Output>
        GetScreeningPolicyRequest: MessageTypeDefinition<_tollgate_catalog_v1_GetScreeningPolicyRequest, _tollgate_catalog_v1_GetScreeningPolicyRequest__Output>
        Invalidation: MessageTypeDefinition<_tollgate_catalog_v1_Invalidation, _tollgate_catalog_v1_Invalidation__Output>
        KeyContext: MessageTypeDefinition<_tollgate_catalog_v1_KeyContext, _tollgate_catalog_v1_KeyContext__Output>
        Limit: MessageTypeDefinition<_tollgate_catalog_v1_Limit, _tollgate_catalog_v1_Limit__Output>
        McpAuth: MessageTypeDefinition<_tollgate_catalog_v1_McpAuth, _tollgate_catalog_v1_McpAuth__Output>
        McpConnection: MessageTypeDefinition<_tollgate_catalog_v1_McpConnection, _tollgate_catalog_v1_McpConnection__Output>
        McpGrant: MessageTypeDefinition<_tollgate_catalog_v1_McpGrant, _tollgate_catalog_v1_McpGrant__Output>
        McpServerEntry: MessageTypeDefinition<_tollgate_catalog_v1_McpServerEntry, _tollgate_catalog_v1_McpServerEntry__Output>
        McpSignIn: MessageTypeDefinition<_tollgate_catalog_v1_McpSignIn, _tollgate_catalog_v1_McpSignIn__Output>
        McpSignInRule: MessageTypeDefinition<_tollgate_catalog_v1_McpSignInRule, _tollgate_catalog_v1_McpSignInRule__Output>
        ModelEntry: MessageTypeDefinition<_tollgate_catalog_v1_ModelEntry, _tollgate_catalog_v1_ModelEntry__Output>
        ModelGrant: MessageTypeDefinition<_tollgate_catalog_v1_ModelGrant, _tollgate_catalog_v1_ModelGrant__Output>
        ModelRetirement: MessageTypeDefinition<_tollgate_catalog_v1_ModelRetirement, _tollgate_catalog_v1_ModelRetirement__Output>
        OrganisationContext: MessageTypeDefinition<_tollgate_catalog_v1_OrganisationContext, _tollgate_catalog_v1_OrganisationContext__Output>
        PassthroughProvider: MessageTypeDefinition<_tollgate_catalog_v1_PassthroughProvider, _tollgate_catalog_v1_PassthroughProvider__Output>
        ResolveKeyReply: MessageTypeDefinition<_tollgate_catalog_v1_ResolveKeyReply, _tollgate_catalog_v1_ResolveKeyReply__Output>
        ResolveKeyRequest: MessageTypeDefinition<_tollgate_catalog_v1_ResolveKeyRequest, _tollgate_catalog_v1_ResolveKeyRequest__Output>
        ResolveKeysReply: MessageTypeDefinition<_tollgate_catalog_v1_ResolveKeysReply, _tollgate_catalog_v1_ResolveKeysReply__Output>
        ResolveKeysRequest: MessageTypeDefinition<_tollgate_catalog_v1_ResolveKeysRequest, _tollgate_catalog_v1_ResolveKeysRequest__Output>
        ResolvedKey: MessageTypeDefinition<_tollgate_catalog_v1_ResolvedKey, _tollgate_catalog_v1_ResolvedKey__Output>
        RoutingCandidate: MessageTypeDefinition<_tollgate_catalog_v1_RoutingCandidate, _tollgate_catalog_v1_RoutingCandidate__Output>
        RoutingPolicy: MessageTypeDefinition<_tollgate_catalog_v1_RoutingPolicy, _tollgate_catalog_v1_RoutingPolicy__Output>
        ScreeningAttachment: MessageTypeDefinition<_tollgate_catalog_v1_ScreeningAttachment, _tollgate_catalog_v1_ScreeningAttachment__Output>
        ScreeningEntry: MessageTypeDefinition<_tollgate_catalog_v1_ScreeningEntry, _tollgate_catalog_v1_ScreeningEntry__Output>
        ScreeningPolicy: MessageTypeDefinition<_tollgate_catalog_v1_ScreeningPolicy, _tollgate_catalog_v1_ScreeningPolicy__Output>
        ScreeningService: MessageTypeDefinition<_tollgate_catalog_v1_ScreeningService, _tollgate_catalog_v1_ScreeningService__Output>
        ScreeningServicePlace: MessageTypeDefinition<_tollgate_catalog_v1_ScreeningServicePlace, _tollgate_catalog_v1_ScreeningServicePlace__Output>
        SealedSecret: MessageTypeDefinition<_tollgate_catalog_v1_SealedSecret, _tollgate_catalog_v1_SealedSecret__Output>
        ValueLimit: MessageTypeDefinition<_tollgate_catalog_v1_ValueLimit, _tollgate_catalog_v1_ValueLimit__Output>
        WatchInvalidationsRequest: MessageTypeDefinition<_tollgate_catalog_v1_WatchInvalidationsRequest, _tollgate_catalog_v1_WatchInvalidationsRequest__Output>
      }
    }
    policy: {
      v1: {
        Allow: MessageTypeDefinition<_tollgate_policy_v1_Allow, _tollgate_policy_v1_Allow__Output>
        Attempt: MessageTypeDefinition<_tollgate_policy_v1_Attempt, _tollgate_policy_v1_Attempt__Output>
        AttemptReport: MessageTypeDefinition<_tollgate_policy_v1_AttemptReport, _tollgate_policy_v1_AttemptReport__Output>
        AttemptTimeouts: MessageTypeDefinition<_tollgate_policy_v1_AttemptTimeouts, _tollgate_policy_v1_AttemptTimeouts__Output>
        Attribution: MessageTypeDefinition<_tollgate_policy_v1_Attribution, _tollgate_policy_v1_Attribution__Output>
        AuthorizeReply: MessageTypeDefinition<_tollgate_policy_v1_AuthorizeReply, _tollgate_policy_v1_AuthorizeReply__Output>
        AuthorizeRequest: MessageTypeDefinition<_tollgate_policy_v1_AuthorizeRequest, _tollgate_policy_v1_AuthorizeRequest__Output>
        BookedMark: MessageTypeDefinition<_tollgate_policy_v1_BookedMark, _tollgate_policy_v1_BookedMark__Output>
        Candidate: MessageTypeDefinition<_tollgate_policy_v1_Candidate, _tollgate_policy_v1_Candidate__Output>
        ClaimedAttribution: MessageTypeDefinition<_tollgate_policy_v1_ClaimedAttribution, _tollgate_policy_v1_ClaimedAttribution__Output>
        ConfirmKeyReply: MessageTypeDefinition<_tollgate_policy_v1_ConfirmKeyReply, _tollgate_policy_v1_ConfirmKeyReply__Output>
        ConfirmKeyRequest: MessageTypeDefinition<_tollgate_policy_v1_ConfirmKeyRequest, _tollgate_policy_v1_ConfirmKeyRequest__Output>
        Denial: MessageTypeDefinition<_tollgate_policy_v1_Denial, _tollgate_policy_v1_Denial__Output>
        DependencyHealth: MessageTypeDefinition<_tollgate_policy_v1_DependencyHealth, _tollgate_policy_v1_DependencyHealth__Output>
        DryRunCheck: MessageTypeDefinition<_tollgate_policy_v1_DryRunCheck, _tollgate_policy_v1_DryRunCheck__Output>
        DryRunHold: MessageTypeDefinition<_tollgate_policy_v1_DryRunHold, _tollgate_policy_v1_DryRunHold__Output>
        DryRunLimit: MessageTypeDefinition<_tollgate_policy_v1_DryRunLimit, _tollgate_policy_v1_DryRunLimit__Output>
        DryRunReply: MessageTypeDefinition<_tollgate_policy_v1_DryRunReply, _tollgate_policy_v1_DryRunReply__Output>
        ExperimentArm: MessageTypeDefinition<_tollgate_policy_v1_ExperimentArm, _tollgate_policy_v1_ExperimentArm__Output>
        ExtendReply: MessageTypeDefinition<_tollgate_policy_v1_ExtendReply, _tollgate_policy_v1_ExtendReply__Output>
        ExtendRequest: MessageTypeDefinition<_tollgate_policy_v1_ExtendRequest, _tollgate_policy_v1_ExtendRequest__Output>
        GrantedModel: MessageTypeDefinition<_tollgate_policy_v1_GrantedModel, _tollgate_policy_v1_GrantedModel__Output>
        HealthReply: MessageTypeDefinition<_tollgate_policy_v1_HealthReply, _tollgate_policy_v1_HealthReply__Output>
        HealthRequest: MessageTypeDefinition<_tollgate_policy_v1_HealthRequest, _tollgate_policy_v1_HealthRequest__Output>
        InvalidateReply: MessageTypeDefinition<_tollgate_policy_v1_InvalidateReply, _tollgate_policy_v1_InvalidateReply__Output>
        InvalidateRequest: MessageTypeDefinition<_tollgate_policy_v1_InvalidateRequest, _tollgate_policy_v1_InvalidateRequest__Output>
        KeptBodies: MessageTypeDefinition<_tollgate_policy_v1_KeptBodies, _tollgate_policy_v1_KeptBodies__Output>
        LeftOut: MessageTypeDefinition<_tollgate_policy_v1_LeftOut, _tollgate_policy_v1_LeftOut__Output>
        LimitState: MessageTypeDefinition<_tollgate_policy_v1_LimitState, _tollgate_policy_v1_LimitState__Output>
        McpCall: MessageTypeDefinition<_tollgate_policy_v1_McpCall, _tollgate_policy_v1_McpCall__Output>
        McpResult: MessageTypeDefinition<_tollgate_policy_v1_McpResult, _tollgate_policy_v1_McpResult__Output>
        McpRules: MessageTypeDefinition<_tollgate_policy_v1_McpRules, _tollgate_policy_v1_McpRules__Output>
        McpTarget: MessageTypeDefinition<_tollgate_policy_v1_McpTarget, _tollgate_policy_v1_McpTarget__Output>
        McpToolPin: MessageTypeDefinition<_tollgate_policy_v1_McpToolPin, _tollgate_policy_v1_McpToolPin__Output>
        NameRules: MessageTypeDefinition<_tollgate_policy_v1_NameRules, _tollgate_policy_v1_NameRules__Output>
        PassthroughCall: MessageTypeDefinition<_tollgate_policy_v1_PassthroughCall, _tollgate_policy_v1_PassthroughCall__Output>
        PassthroughRule: MessageTypeDefinition<_tollgate_policy_v1_PassthroughRule, _tollgate_policy_v1_PassthroughRule__Output>
        PassthroughTarget: MessageTypeDefinition<_tollgate_policy_v1_PassthroughTarget, _tollgate_policy_v1_PassthroughTarget__Output>
        PendingResponse: MessageTypeDefinition<_tollgate_policy_v1_PendingResponse, _tollgate_policy_v1_PendingResponse__Output>
        /**
         * Decisions about requests: may this key make this call, what is held for it, and what did it cost.
         * Any internal service may call the unary methods; the edge uses Session, which carries the same messages
         * in batches.
         * 
         * A refusal is data (`Denial`). A gRPC error means that the service or a dependency is broken:
         * UNAVAILABLE (a dependency is unreachable), DEADLINE_EXCEEDED, UNAUTHENTICATED (no service
         * token), PERMISSION_DENIED (this token may not call this method), INVALID_ARGUMENT (the message
         * names the field), RESOURCE_EXHAUSTED (the ledger buffer is full). The trailer
         * `tollgate-dependency` of an error names the broken part: redis, catalog or policy.
         */
        PolicyService: SubtypeConstructor<typeof grpc.Client, _tollgate_policy_v1_PolicyServiceClient> & { service: _tollgate_policy_v1_PolicyServiceDefinition }
        Price: MessageTypeDefinition<_tollgate_policy_v1_Price, _tollgate_policy_v1_Price__Output>
        PriceStep: MessageTypeDefinition<_tollgate_policy_v1_PriceStep, _tollgate_policy_v1_PriceStep__Output>
        RefusalReport: MessageTypeDefinition<_tollgate_policy_v1_RefusalReport, _tollgate_policy_v1_RefusalReport__Output>
        ResponseCache: MessageTypeDefinition<_tollgate_policy_v1_ResponseCache, _tollgate_policy_v1_ResponseCache__Output>
        Retirement: MessageTypeDefinition<_tollgate_policy_v1_Retirement, _tollgate_policy_v1_Retirement__Output>
        Routing: MessageTypeDefinition<_tollgate_policy_v1_Routing, _tollgate_policy_v1_Routing__Output>
        ScreeningRef: MessageTypeDefinition<_tollgate_policy_v1_ScreeningRef, _tollgate_policy_v1_ScreeningRef__Output>
        ServerTool: MessageTypeDefinition<_tollgate_policy_v1_ServerTool, _tollgate_policy_v1_ServerTool__Output>
        ServiceTier: MessageTypeDefinition<_tollgate_policy_v1_ServiceTier, _tollgate_policy_v1_ServiceTier__Output>
        SessionFailure: MessageTypeDefinition<_tollgate_policy_v1_SessionFailure, _tollgate_policy_v1_SessionFailure__Output>
        SessionItem: MessageTypeDefinition<_tollgate_policy_v1_SessionItem, _tollgate_policy_v1_SessionItem__Output>
        SessionReply: MessageTypeDefinition<_tollgate_policy_v1_SessionReply, _tollgate_policy_v1_SessionReply__Output>
        SessionRequest: MessageTypeDefinition<_tollgate_policy_v1_SessionRequest, _tollgate_policy_v1_SessionRequest__Output>
        SessionResult: MessageTypeDefinition<_tollgate_policy_v1_SessionResult, _tollgate_policy_v1_SessionResult__Output>
        SettleReply: MessageTypeDefinition<_tollgate_policy_v1_SettleReply, _tollgate_policy_v1_SettleReply__Output>
        SettleRequest: MessageTypeDefinition<_tollgate_policy_v1_SettleRequest, _tollgate_policy_v1_SettleRequest__Output>
        Shadow: MessageTypeDefinition<_tollgate_policy_v1_Shadow, _tollgate_policy_v1_Shadow__Output>
        SharedPart: MessageTypeDefinition<_tollgate_policy_v1_SharedPart, _tollgate_policy_v1_SharedPart__Output>
        Subject: MessageTypeDefinition<_tollgate_policy_v1_Subject, _tollgate_policy_v1_Subject__Output>
        TokenUsage: MessageTypeDefinition<_tollgate_policy_v1_TokenUsage, _tollgate_policy_v1_TokenUsage__Output>
        ValidateKeyReply: MessageTypeDefinition<_tollgate_policy_v1_ValidateKeyReply, _tollgate_policy_v1_ValidateKeyReply__Output>
        ValidateKeyRequest: MessageTypeDefinition<_tollgate_policy_v1_ValidateKeyRequest, _tollgate_policy_v1_ValidateKeyRequest__Output>
      }
    }
  }
}

