import {
  GetConnectedPeersResponse,
  MeshTopology,
  MeshView,
} from '../../protocol/proto/generated/network_view.js'
import { type Reply, readMethod } from './hub-method.js'
import { type MeshViewOfSelf, meshTopologyJson, meshViewJson, readMeshView } from './mesh-view.js'

/** The views of the network (docs/protocol.md §2.8). Over HTTP, `/v1/mesh` is in `http/mesh.ts`. */

const noPeers: Reply<null> = {
  json: () => ({ contacts: [], peers: [] }),
  protobuf: () => GetConnectedPeersResponse.encode({ contacts: [], peers: [] }).finish(),
}

function viewOf({ version, network, height, generatedAt }: MeshViewOfSelf): MeshView {
  const nothing = Buffer.alloc(0)
  return {
    local: {
      peerId: nothing,
      consensusPublicKey: nothing,
      isValidator: false,
      gossipAddress: '',
      rpcAddress: '',
      snapchainVersion: version,
      network,
      subscribedTopics: [],
      consensusMeshSize: 0,
      currentHeight: height,
    },
    peers: [],
    generatedAt,
  }
}

const meshView: Reply<MeshViewOfSelf> = {
  json: meshViewJson,
  protobuf: (view) => MeshView.encode(viewOf(view)).finish(),
}

const meshTopology: Reply<MeshViewOfSelf> = {
  json: meshTopologyJson,
  protobuf: (view) =>
    MeshTopology.encode({ nodes: [viewOf(view)], unreachable: [], generatedAt: view.generatedAt }).finish(),
}

export const meshMethods = [
  readMethod({
    http: { path: '/currentPeers', failure: 'Unable to retrieve connected peers.' },
    grpc: 'getConnectedPeers',
    request: {},
    reply: noPeers,
    handle: async () => null,
  }),
  readMethod({
    grpc: 'getMeshView',
    forOperator: true,
    request: {},
    reply: meshView,
    handle: (_request, context) => readMeshView(context),
  }),
  readMethod({
    grpc: 'getMeshTopology',
    forOperator: true,
    request: {},
    reply: meshTopology,
    handle: (_request, context) => readMeshView(context),
  }),
]
