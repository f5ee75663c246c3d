// Prints the packages that the tests of a cluster need and that are not installed; nothing if all are.
import { missingPackages } from '../deploy/cluster/installation.mjs'

process.stdout.write(missingPackages().join(' '))
