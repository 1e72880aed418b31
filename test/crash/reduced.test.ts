import { testPart } from "./run-reduced";

testPart("dynamic", "quick");
