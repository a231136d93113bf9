// Command probe is a Windows program that uses the COM bridge as the product does, through the
// same libraries but by code of its own, and prints what it saw as JSON: so that the rig is tested
// apart from the product.
package main
